// Takes things along: to the clipboard, or as a file.
import { make, one } from './dom.js';

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
    one('text').value = text;
    one('by-hand').showModal();
    one('text').select();
}

/// Saves a text as a file.
export function download(name, text, type = 'application/json') {
    const address = URL.createObjectURL(new Blob([text], { type }));
    make('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
