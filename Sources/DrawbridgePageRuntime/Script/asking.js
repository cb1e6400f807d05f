// Questions that native shows over the page. What draws them is loaded by itself; for a frame the top page draws.
//
// gives: overPage, prepare, withdrawn
// uses pristine: hearAlways, loaded, look, Map, mark, readers, setTimeout, tried
// uses channel: viewer
// uses native: answerTo, forgettings
let drawing;
const load = found => (readers.has('ask.js') ? found(readers.get('ask.js')()) : look('ask.js', found, 'ask.js'));

/// Before requests that ask take all the connections that a browser has to a host, which are six.
loaded.then(prepare);
let isPrepared = top !== window || !(config.ask === undefined ? viewer === 'person' : config.ask);
function prepare() {
    if (!isPrepared) load(() => {});
    isPrepared = true;
}

window[mark].draw = (question, answer) => {
    let isOver = false, withdraw = () => {};
    const begin = draw => {
        if (isOver) return;
        if (!draw) return answer && answer({ error: { code: 501, message: 'the page did not load ask.js' } });
        drawing = draw;
        withdraw = draw(question, answer && (value => answer({ value })), setTimeout);
    };
    load(begin);
    return () => { isOver = true; withdraw(); };
};

// What happens in a question is heard before the page's listeners, and not by them.
for (const type of ('click auxclick dblclick contextmenu pointerdown pointerup mousedown mouseup touchstart touchend '
    + 'wheel keydown keyup keypress beforeinput input change focus blur focusin focusout').split(' ')) {
    hearAlways(window, type, event => drawing && drawing.hear(event), true);
}

const shown = new Map();
function overPage({ ask }) {
    withdrawn({ withdraw: ask.number });
    const { draw } = tried(() => top[mark], 0) || window[mark];
    shown.set(ask.number, draw(ask, (ask.choices || ask.fields) && answerTo(ask.number, 'answer')));
}

function withdrawn({ withdraw }) {
    if (shown.has(withdraw)) shown.get(withdraw)();
    shown.delete(withdraw);
}

const withdrawAll = () => shown.forEach((take, number) => withdrawn({ withdraw: number }));
forgettings.push(withdrawAll);
hearAlways(window, 'pagehide', ({ persisted }) => persisted || withdrawAll());
