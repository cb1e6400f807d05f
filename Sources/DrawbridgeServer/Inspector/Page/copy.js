// Takes things along: to the clipboard, or as a file.
import { make } from './dom.js';

/// Copies a text that is still asked for. Browsers want the click to be at work then, so they are handed the promise.
export async function copy(promise) {
    if (navigator.clipboard?.write && globalThis.ClipboardItem) {
        const blob = Promise.resolve(promise).then(text => new Blob([text], { type: 'text/plain' }));
        try {
            await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
            return await promise;
        } catch (error) {
            // Why the text could not be had comes before why it could not be copied.
            await promise;
            if (error.name !== 'NotAllowedError' && error.name !== 'TypeError') throw error;
        }
    }
    const text = await promise;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        show(text);
    }
    return text;
}

/// Where the clipboard is closed: the text, chosen, so that keys copy it.
function show(text) {
    const area = make('textarea', { readonly: true, rows: 14, 'aria-label': 'The text', value: text });
    const dialog = make('dialog', { class: 'sheet', 'aria-label': 'Copy this text', onclose: () => dialog.remove() },
        make('p', {}, 'The browser does not let this page copy. Copy the text by hand:'), area,
        make('form', { method: 'dialog' }, make('button', { type: 'submit' }, 'Close')));
    document.body.append(dialog);
    dialog.showModal();
    area.select();
}

/// Saves a text as a file.
export function download(name, text, type = 'application/json') {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = make('a', { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
