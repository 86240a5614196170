/// A run as a folder of self-contained web pages: an index, and a page for each scenario.
public enum HTMLReport {
    /// A page of the folder.
    public struct Page: Hashable, Sendable {
        /// The file name in the folder.
        public var fileName: String
        /// The HTML text.
        public var text: String
    }

    /// Returns the pages, `index.html` first.
    public static func pages(_ report: RunReport) -> [Page] {
        var numbers: [Int: String] = [:]
        for index in report.scenarios.indices { numbers[index] = "scenario-\(index + 1).html" }
        let pages = report.scenarios.enumerated().map { index, result in
            Page(fileName: numbers[index] ?? "", text: page(result))
        }
        return [Page(fileName: "index.html", text: index(report))] + pages
    }

    private static func index(_ report: RunReport) -> String {
        var body = "<h1>\(escaped(report.sentence))</h1>\n<p>Seed \(report.seed)</p>\n"
        var number = 0
        var places: [String: [(Int, ScenarioResult)]] = [:]
        for result in report.scenarios {
            number += 1
            places[result.group, default: []].append((number, result))
        }
        for group in report.groups {
            body += "<h2>\(escaped(group.name))</h2>\n<table>\n"
            for (number, result) in places[group.name] ?? [] {
                body += "<tr class=\"\(result.isFailure ? "bad" : "good")\"><td>\(word(result.status))</td>"
                body += "<td><a href=\"scenario-\(number).html\">\(escaped(result.shortName))</a></td>"
                body += "<td>\(escaped(result.description))</td><td class=\"n\">\(time(result))</td></tr>\n"
            }
            body += "</table>\n"
        }
        return document(report.sentence, body)
    }

    private static func page(_ result: ScenarioResult) -> String {
        var body = "<p><a href=\"index.html\">All scenarios</a></p>\n<h1>\(escaped(result.name))</h1>\n"
        body += "<p>\(escaped(result.description))</p>\n<p class=\"\(result.isFailure ? "bad" : "good")\">"
        body += "\(word(result.status)) · \(escaped(result.file)):\(result.line) · seed \(result.seed) · "
        body += "\(time(result)) on the virtual clock</p>\n"
        if let reason = result.expectedFailure { body += "<p>Expected to fail: \(escaped(reason))</p>\n" }
        for mismatch in result.mismatches {
            body += "<h2>\(escaped(mismatch.sentence))</h2>\n<pre>"
            for line in mismatch.difference {
                let mark = line.hasPrefix("-") ? "minus" : line.hasPrefix("+") ? "plus" : "same"
                body += "<span class=\"\(mark)\">\(escaped(line))</span>\n"
            }
            body += "</pre>\n"
        }
        body += "<h2>Again</h2>\n<pre>\(escaped(result.replay))</pre>\n"
        let events = result.events ?? result.lastEvents
        if !events.isEmpty {
            body += "<h2>Events</h2>\n<pre>\(escaped(events.joined(separator: "\n")))</pre>\n"
        }
        return document(result.name, body)
    }

    private static func document(_ title: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(escaped(title))</title><style>
        :root { color-scheme: light dark } body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem;
        margin: 2rem auto; padding: 0 1rem } table { border-collapse: collapse; width: 100% }
        td { padding: .2rem .8rem .2rem 0; vertical-align: top; border-bottom: 1px solid #8884 }
        td.n { text-align: right; white-space: nowrap } pre { overflow-x: auto; padding: .8rem; background: #8881 }
        .bad td:first-child, p.bad, .minus { color: #c22 } .good td:first-child, p.good, .plus { color: #183 }
        @media (prefers-color-scheme: dark) { .minus, p.bad, .bad td:first-child { color: #f77 }
        .plus, p.good, .good td:first-child { color: #7d7 } }
        </style></head><body>
        \(body)</body></html>

        """
    }

    private static func word(_ status: ScenarioResult.Status) -> String {
        switch status {
        case .passed: "passed"
        case .failed: "failed"
        case .failedAsExpected: "failed as expected"
        case .passedUnexpectedly: "passed unexpectedly"
        }
    }

    private static func time(_ result: ScenarioResult) -> String {
        let tenths = result.virtualMilliseconds / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }

    private static func escaped(_ text: String) -> String {
        JUnitReport.escaped(text).replacing("&#10;", with: "\n").replacing("&#9;", with: "\t")
    }
}
