// Takes things along: to the clipboard, or as a file.
import { make, one } from './dom.js';

/// Copies a text that is still asked for. Browsers want the click to be at work then, so they are handed the promise.
export async function copy(promise) {
    try {
        const blob = async () => new Blob([await promise], { type: 'text/plain' });
        await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob() })]);
    } catch {
        // Why the text could not be had comes before why it could not be copied: keys copy what is chosen.
        one('text').value = await promise;
        one('by-hand').showModal();
        one('text').select();
    }
}

/// Saves a text as a file.
export function download(name, text) {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    make('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
