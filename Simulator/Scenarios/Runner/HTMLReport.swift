import SessionViews

/// A run as a folder of self-contained web pages: an index with the failures first, and a page for each scenario, which
/// shows the session as the simulator's console does.
public enum HTMLReport {
    /// A page of the folder.
    public struct Page: Hashable, Sendable {
        /// The file name in the folder.
        public var fileName: String
        /// The HTML text.
        public var text: String
    }

    /// A line of every page, by which the program knows its own.
    private static let mark = #"<meta name="generator" content="cardpresent simulate run">"#

    /// Returns whether a file with this name and text, in the folder of a report, is the page of a scenario that this
    /// report does not have: an earlier run with more scenarios left it.
    public static func isLeftOver(_ fileName: String, text: String, in report: RunReport) -> Bool {
        guard let number = scenarioNumber(fileName), number > report.scenarios.count else { return false }
        return text.prefix(2000).split(separator: "\n").contains { $0 == mark }
    }

    /// Returns the number in the file name of a scenario's page; nil for any other name.
    public static func scenarioNumber(_ fileName: String) -> Int? {
        guard fileName.hasPrefix("scenario-"), fileName.hasSuffix(".html"),
            let number = Int(fileName.dropFirst("scenario-".count).dropLast(".html".count)), number > 0,
            fileName == pageName(number)
        else { return nil }
        return number
    }

    private static func pageName(_ number: Int) -> String { "scenario-\(number).html" }

    /// Returns the pages, `index.html` first.
    public static func pages(_ report: RunReport) -> [Page] {
        var numbers: [Int: String] = [:]
        for index in report.scenarios.indices { numbers[index] = pageName(index + 1) }
        let pages = report.scenarios.enumerated().map { index, result in
            Page(fileName: numbers[index] ?? "", text: page(result))
        }
        return [Page(fileName: "index.html", text: index(report))] + pages
    }

    private static func index(_ report: RunReport) -> String {
        var body = "<h1>\(escaped(report.sentence))</h1>\n<p>Seed \(report.seed)</p>\n\(controls(report))"
        let numbered = report.scenarios.enumerated().map { (number: $0.offset + 1, result: $0.element) }
        let failures = numbered.filter { $0.result.isFailure }
        body += section("Failures", failures, withReasons: true)
        var places: [String: [(number: Int, result: ScenarioResult)]] = [:]
        for entry in numbered where !entry.result.isFailure { places[entry.result.group, default: []].append(entry) }
        for group in report.groups { body += section(group.name, places[group.name] ?? [], withReasons: false) }
        body += "<p id=\"none\" hidden>No scenario matches.</p>\n<script>\(script)</script>\n"
        return document(report.sentence, body)
    }

    /// Returns a table of results; nothing for none.
    private static func section(
        _ title: String, _ entries: [(number: Int, result: ScenarioResult)], withReasons: Bool
    ) -> String {
        guard !entries.isEmpty else { return "" }
        var html = "<section>\n<h2>\(escaped(title))</h2>\n<table>\n"
        for (number, result) in entries {
            html += "<tr class=\"\(result.isFailure ? "bad" : "good")\" data-status=\"\(result.status.rawValue)\">"
            html += "<td>\(word(result.status))</td>"
            let name = withReasons ? result.name : result.shortName
            html += "<td><a href=\"scenario-\(number).html\">\(escaped(name))</a></td>"
            html += "<td>\(escaped(result.description))"
            if withReasons, let reason = result.reason { html += "<br><code>\(escaped(reason))</code>" }
            html += "<span hidden> \(escaped(([result.name] + result.tags).joined(separator: " ")))</span></td>"
            html += "<td class=\"n\">\(time(result))</td></tr>\n"
        }
        return html + "</table>\n</section>\n"
    }

    /// Returns the search field and the filter of the index. Without scripts, they stay hidden and all rows are shown.
    private static func controls(_ report: RunReport) -> String {
        let counts = report.counts
        let choices: [(word: String, value: String, count: Int)] = [
            ("all", "", report.scenarios.count), ("failed", "failed", counts.failed),
            ("passed unexpectedly", "passedUnexpectedly", counts.passedUnexpectedly),
            ("failed as expected", "failedAsExpected", counts.failedAsExpected), ("passed", "passed", counts.passed),
        ]
        var html = "<form id=\"filter\" hidden>\n<input type=\"search\" placeholder=\"Name, description, or tag\" "
        html += "aria-label=\"Search\">\n<select aria-label=\"Status\">\n"
        for choice in choices where choice.value.isEmpty || choice.count > 0 {
            html += "<option value=\"\(choice.value)\">\(choice.word) (\(choice.count))</option>\n"
        }
        return html + "</select>\n<output></output>\n</form>\n"
    }

    /// Shows the rows of the chosen status that have every word of the search.
    private static let script = """

        const form = document.getElementById('filter'), rows = [...document.querySelectorAll('tr')]
        const texts = rows.map(row => row.textContent.toLowerCase())
        function show() {
          const words = form.elements[0].value.toLowerCase().split(/\\s+/), status = form.elements[1].value
          let count = 0
          rows.forEach((row, index) => {
            row.hidden = !!status && row.dataset.status !== status || !words.every(word => texts[index].includes(word))
            if (!row.hidden) count++
          })
          for (const section of document.querySelectorAll('section'))
            section.hidden = !section.querySelector('tr:not([hidden])')
          document.getElementById('none').hidden = count > 0
          form.querySelector('output').value = count + ' of ' + rows.length
        }
        form.addEventListener('input', show)
        form.addEventListener('submit', event => event.preventDefault())
        form.hidden = false
        show()

        """

    private static func page(_ result: ScenarioResult) -> String {
        var body = "<p><a href=\"index.html\">All scenarios</a></p>\n<h1>\(escaped(result.name))</h1>\n"
        body += "<p>\(escaped(result.description))</p>\n<p class=\"\(result.isFailure ? "bad" : "good")\">"
        body += "\(word(result.status)) · \(escaped(result.file)):\(result.line) · seed \(result.seed) · "
        body += "\(time(result)) on the virtual clock</p>\n"
        if let reason = result.expectedFailure { body += "<p>Expected to fail: \(escaped(reason))</p>\n" }
        for mismatch in result.mismatches {
            body += "<h2>\(escaped(mismatch.sentence))</h2>\n<pre tabindex=\"0\">"
            for line in mismatch.difference {
                let mark = line.hasPrefix("-") ? "minus" : line.hasPrefix("+") ? "plus" : "same"
                body += "<span class=\"\(mark)\">\(escaped(line))</span>\n"
            }
            body += "</pre>\n"
        }
        body += "<h2>Again</h2>\n<pre tabindex=\"0\">\(escaped(result.replay))</pre>\n"
        let events = result.events ?? result.lastEvents
        if let session = result.sessionEvents, !session.isEmpty {
            body += SessionPart.html(session, text: escaped(events.joined(separator: "\n")))
        } else if !events.isEmpty {
            body += "<h2>Events</h2>\n<pre tabindex=\"0\">\(escaped(events.joined(separator: "\n")))</pre>\n"
        }
        return document(result.name, body)
    }

    private static func document(_ title: String, _ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        \(mark)
        <meta http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>\(escaped(title))</title><style>
        \(PageFiles.style)
        main { display: block; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
        h1 { font-size: 1.6rem } h2 { margin-top: 1rem } section { margin: 1rem 0 } summary { cursor: pointer }
        td { padding: .2rem .8rem .2rem 0; vertical-align: top; border-bottom: 1px solid var(--line) }
        td.n { text-align: right; padding-right: 0 } td.n, td:first-child { white-space: nowrap }
        td:nth-child(2) { min-width: 12rem } a { color: var(--accent) }
        pre { overflow-x: auto; padding: .8rem; background: var(--paper); overflow-wrap: normal }
        form#filter { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; position: sticky; top: 0;
        padding: .6rem 0; background: var(--ground) } form > select { width: auto } form > input { flex: 1 1 14rem }
        .bad td:first-child, p.bad { color: var(--bad) }
        .good td:first-child, p.good { color: var(--good) }
        @media (max-width: 40rem) { main { margin: 1rem auto } h1 { font-size: 1.3rem }
        tr { display: grid; grid-template-columns: 1fr auto; padding: .5rem 0; border-bottom: 1px solid var(--line) }
        td { border: 0; padding: .1rem 0 } td:nth-child(2), td:nth-child(3) { grid-column: 1 / 3; grid-row: auto }
        td.n { grid-column: 2; grid-row: 1 } pre { white-space: pre-wrap; overflow-wrap: anywhere } }
        </style></head><body>
        <main>
        \(body)</main></body></html>

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
