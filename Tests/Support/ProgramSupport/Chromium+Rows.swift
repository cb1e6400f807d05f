import Drawbridge

/// A call that a page shows.
package struct Row: Decodable {
    package var kind: String
    package var sent: String
    package var answer: String
}

extension Chromium {
    /// The calls that the page shows, when there are so many, and each has its answer.
    package func rows(_ count: Int) async throws -> [Row] {
        try await evaluate(
            """
            new Promise(done => {
                const look = () => {
                    const rows = Array.from(document.querySelectorAll('#calls li'), row => (
                        { kind: row.className, sent: row.children[0].textContent, answer: row.children[1].textContent }));
                    const isOver = rows.length >= \(count) && !document.querySelector('#calls .waiting');
                    if (isOver) done(rows);
                    else setTimeout(look, 5);
                };
                look();
            })
            """
        ).decode([Row].self)
    }
}
