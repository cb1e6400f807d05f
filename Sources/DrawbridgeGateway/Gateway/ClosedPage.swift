import HTTPTypes

/// The page for people elsewhere who have no admission: no name, no version, no link.
package enum ClosedPage {
    package static func response(_ status: HTTPResponse.Status) -> Response {
        var response = PlainPage.response(
            title: "Not open to this device",
            """
            <h1>Not open to this device</h1>
            <p>\(status == .tooManyRequests ? "Wait a moment. Then ask" : "Ask") whoever runs this for the link, and open
            it here. A link is good for ten minutes.</p>
            """)
        response.status = status
        response.answeredBy = "refused"
        return response
    }
}
