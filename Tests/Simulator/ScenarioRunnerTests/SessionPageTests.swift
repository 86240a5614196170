import Foundation
import ScenarioFormat
import ScenarioRunner
import Sessions
import Testing

@Suite("Report pages that show a session", .timeLimit(.minutes(10)))
struct SessionPageTests {
    /// The page of a result with these events.
    private func page(_ events: [SessionEvent]) -> String {
        var result = Results.result("approve/visa")
        result.sessionEvents = events
        result.events = events.map { "0.000 s  " + $0.text }
        return HTMLReport.pages(RunReport(seed: 7, results: [result]))[1].text
    }

    /// What the page's script reads.
    private func data(_ page: String) throws -> [String: Any] {
        let begin = try #require(page.range(of: #"<script type="application/json" id="session">"#))
        let rest = page[begin.upperBound...]
        let end = try #require(rest.range(of: "</script>"))
        let object = try JSONSerialization.jsonObject(with: Data(rest[..<end.lowerBound].utf8))
        return try #require(object as? [String: Any])
    }

    @Test func `a page has the events of its session and the decodings of all exchanges`() async throws {
        let result = try #require(
            await results(
                payment(step: "{ outcome: approved }"), runner: ScenarioRunner(keepsEvents: true)
            ).first)
        let session = try #require(result.sessionEvents)
        #expect(session.count == result.events?.count)
        let text = HTMLReport.pages(RunReport(seed: 1, results: [result]))[1].text
        let data = try data(text)
        let events = try #require(data["events"] as? [[String: Any]])
        #expect(events.map { $0["id"] as? Int } == Array(1...session.count))
        #expect(events.map { $0["kind"] as? String } == session.map(\.kind.rawValue))
        let decodings = try #require(data["decodings"] as? [String: Any])
        let exchanges = session.filter { $0.kind == .apdu }
        #expect(exchanges.count > 5)
        #expect(Set(decodings.keys) == Set(exchanges.map { String($0.number) }))
        // Without scripts, the events are there as text.
        #expect(text.contains(try #require(result.events?.last)))
    }

    @Test func `a page has no card data`() async throws {
        let result = try #require(
            await results(payment(), runner: ScenarioRunner(keepsEvents: true)).first)
        let text = HTMLReport.pages(RunReport(seed: 1, results: [result]))[1].text
        #expect(text.contains("****************"))
        // The test card's number, and its track 2 without masks.
        #expect(!text.contains("476173"))
        #expect(text.contains(#""meaning":"masked","masked":true"#))
    }

    @Test func `an event cannot end the page's script or begin another`() throws {
        let evil = "</script><script>alert(1)</script><!--<img src=x>"
        let text = page([
            SessionEvent(number: 1, milliseconds: 0, kind: .display, detail: evil),
            SessionEvent(number: 2, milliseconds: 1500, kind: .apdu, detail: "00A4 \(evil)"),
        ])
        #expect(!text.contains("alert(1)</script>") && !text.contains("<!--") && !text.contains("<img"))
        // The data and the script.
        #expect(text.components(separatedBy: "<script").count == 3)
        #expect(text.components(separatedBy: "</script>").count == 3)
        let events = try #require(try data(text)["events"] as? [[String: Any]])
        #expect(events.first?["detail"] as? String == evil)
    }

    @Test func `a page with a session needs nothing from elsewhere`() {
        let text = page([SessionEvent(number: 1, milliseconds: 0, kind: .start, detail: "1")])
        for outside in ["http://", "https://", " src=", "fetch(", "\nimport ", "\nexport "] {
            #expect(!text.contains(outside), "the page has \(outside)")
        }
        #expect(text.contains("default-src 'none'"))
    }

    @Test func `JSON reports have the events as lines only`() throws {
        var result = Results.result("approve/visa")
        result.sessionEvents = [SessionEvent(number: 1, milliseconds: 0, kind: .start, detail: "1")]
        #expect(!(try JSONReport.text(RunReport(seed: 7, results: [result]))).contains("sessionEvents"))
    }
}
