import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// Ten thousand records, a thousand a second, in the inspector in Chromium, which alone tells of its heap.
///
/// How long anything takes is not judged: on a busy machine each task of the page is late.
@Suite("The inspector under load in browsers", .serialized, .timeLimit(.minutes(5))) struct InspectorLoadTests
{
    @Test(.enabled(if: Browser.isThorough && Browser.chromium.isTried))
    func tenThousandRecordsTakeFewRowsAndLittleMemory() async throws {
        let site = try InspectedSite(#"{"replies": {"pay": {"code": 0, "data": {"orderNo": "R-2041"}}}}"#)
        try await InspectedBrowser.inspect(.chromium, site) { inspected in
            let driven = inspected.driven
            let began = now()
            for second in 0..<200 {
                for n in 0..<50 {
                    let input: JSON = [
                        "channel": "card", "price": .number(.init(second * 50 + n)),
                        "title": "Low tide, framed",
                    ]
                    _ = await site.gateway.respond(
                        to: Request(.post, "/pay?_mobile_bridge=1", body: Request.Body(input.bytes)))
                }
                let rest = began + Double(second + 1) / 20 - now()
                if rest > 0 { try await Task.sleep(for: .seconds(rest)) }
            }
            try await driven.expect(
                "Number(document.querySelector('.row:last-child').getAttribute('aria-setsize')) >= 9990")
            let rows = try await driven.evaluate("document.querySelectorAll('.row').length")
            #expect(rows.numberValue?.intValue ?? 999 <= 500)
            try await driven.click("document.getElementById('filter')")
            try await driven.type("99 -44")
            try await driven.expect("document.getElementById('found').textContent.includes(' of ')")
            try await driven.devTools("HeapProfiler.collectGarbage")
            let heap =
                try await driven.devTools("Runtime.getHeapUsage")["usedSize"]?.numberValue?.intValue ?? .max
            #expect(heap <= 40_000_000)
        }
    }
}
