// What the pages show: each call, and what came of it.

// Shows a call that was sent; gives the function that shows its answer.
function show(sent) {
    return addRow('', sent);
}

// Shows a call that native made, and what the page answers it.
function showNative(called, answer) {
    addRow('native', called)(answer);
}

function addRow(kind, text) {
    var row = document.getElementById('calls').appendChild(document.createElement('li'));
    row.className = kind;
    row.appendChild(line('sent', text));
    var answer = row.appendChild(line('answer waiting', '…'));
    return function (value) {
        answer.className = 'answer';
        answer.lastChild.textContent = typeof value === 'string' ? value : JSON.stringify(value);
    };
}

function line(kind, text) {
    var line = document.createElement('code');
    line.className = kind;
    line.appendChild(document.createElement('span')).textContent = text;
    return line;
}
