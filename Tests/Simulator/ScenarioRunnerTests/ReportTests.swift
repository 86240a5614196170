import Foundation
import FoundationXML
import ScenarioRunner
import Testing

@Suite("Reports of runs")
struct ReportTests {
    @Test("TAP has a plan, a line for each scenario, and the reasons of failures")
    func tap() {
        let lines = TAPReport.text(Results.report).split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["TAP version 14", "1..4", "ok 1 - approve/visa"])
        #expect(lines.contains("not ok 2 - approve/amex"))
        #expect(lines.contains("not ok 3 - decline/lost # TODO the reader is not there yet"))
        #expect(lines.contains("not ok 4 - decline/stolen"))
        #expect(lines.contains("  expected:") && lines.contains("    - \"approved\""))
        #expect(lines.filter { $0 == "  ---" }.count == lines.filter { $0 == "  ..." }.count)
    }

    @Test("TAP has every mismatch with its place and both sides")
    func allMismatches() {
        let second = Mismatch(
            key: "journal", file: "shop/pay.yaml", line: 12, expected: ["created", "declined"], seen: ["created"])
        let report = RunReport(
            seed: 1, results: [Results.result("a/b", .failed, mismatches: [Results.declined, second])])
        let lines = TAPReport.text(report).split(separator: "\n").map(String.init)
        let start = lines.firstIndex(of: "  mismatches:") ?? 0
        #expect(
            lines[start...] == [
                "  mismatches:",
                "    - message: \"step 2, pay 12.50 USD: outcome: expected 'approved', seen 'declined'\"",
                "      file: \"shop/pay.yaml\"", "      line: 9", "      expected:", "        - \"approved\"",
                "      seen:", "        - \"declined\"",
                "    - message: \"journal: line 2, after 'created': expected 'declined', seen nothing more\"",
                "      file: \"shop/pay.yaml\"", "      line: 12", "      expected:", "        - \"created\"",
                "        - \"declined\"", "      seen:", "        - \"created\"",
                "  again: \"cardpresent simulate run shop/a/b.yaml --seed 7\"", "  ...",
            ])
    }

    @Test(
        "the sentence of a mismatch tells the first line that differs, with the line before it",
        arguments: [
            (["a"], ["b"], "expected 'a', seen 'b'"), (["a"], [], "expected 'a', seen nothing"),
            (["a", "b", "c"], ["a", "b", "d"], "line 3, after 'b': expected 'c', seen 'd'"),
            (["a", "b"], ["c", "b"], "line 1: expected 'a', seen 'c'"),
            (["a", "b"], ["a"], "line 2, after 'a': expected 'b', seen nothing more"),
            (["a"], ["a", "b"], "line 2, after 'a': expected nothing more, seen 'b'"),
            ([], ["a", "b"], "line 1: expected nothing, seen 'a'"),
        ])
    func firstDifference(expected: [String], seen: [String], sentence: String) {
        let mismatch = Mismatch(key: "journal", file: "a", line: 1, expected: expected, seen: seen)
        #expect(mismatch.sentence == "journal: " + sentence)
    }

    @Test("the sentence of a mismatch of names in any order has all names")
    func names() {
        let mismatch = Mismatch(
            key: "tvr", file: "a", line: 1, expected: ["newCard"], seen: ["ddaFailed", "sdaFailed"])
        #expect(mismatch.sentence == "tvr: expected 'newCard', seen 'ddaFailed', 'sdaFailed'")
        let many = Mismatch(key: "tvr", file: "a", line: 1, expected: [], seen: (1...9).map { "\($0)" })
        #expect(many.sentence == "tvr: expected nothing, seen '1', '2', '3', '4', '5', '6' and 3 more")
    }

    @Test("TAP escapes odd names")
    func nastyTAP() {
        let lines = TAPReport.text(Results.nastyReport).split(separator: "\n", omittingEmptySubsequences: false)
        let line = lines[2]
        #expect(line.hasPrefix("not ok 1 - odd/a<b>&\"'\\#\\\\"))
        #expect(lines.dropFirst(3).allSatisfy { $0.isEmpty || $0.hasPrefix("  ") })
    }

    @Test("TAP without scenarios is skipped as a whole")
    func emptyTAP() { #expect(TAPReport.text(RunReport(seed: 1)) == "TAP version 14\n1..0 # SKIP nothing was run\n") }

    @Test("JSON has the counts and every result, and no wall time")
    func json() throws {
        let text = try JSONReport.text(Results.report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["seed", "counts", "scenarios"])
        #expect((object["counts"] as? [String: Int])?["failed"] == 1)
        let scenarios = try #require(object["scenarios"] as? [[String: Any]])
        #expect(
            scenarios.map { $0["status"] as? String } == ["passed", "failed", "failedAsExpected", "passedUnexpectedly"])
        #expect(try JSONReport.text(Results.report) == text)
    }

    @Test("HTML has a page for each scenario, and loads nothing from elsewhere")
    func html() throws {
        let pages = HTMLReport.pages(Results.report)
        #expect(
            pages.map(\.fileName) == [
                "index.html", "scenario-1.html", "scenario-2.html", "scenario-3.html", "scenario-4.html",
            ])
        #expect(
            pages.allSatisfy {
                !$0.text.contains("http://") && !$0.text.contains("https://") && !$0.text.contains(" src=")
                    && $0.text.contains("content=\"default-src 'none'; ")
            })
        #expect(pages.dropFirst().allSatisfy { !$0.text.contains("<script") })
        // Each page fits a phone; Scripts/console looks at it on several screens.
        #expect(
            pages.allSatisfy {
                $0.text.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                    && $0.text.contains("@media (max-width: 40rem)")
            })
        #expect(pages[0].text.contains("<a href=\"scenario-1.html\">visa</a>"))
        #expect(pages[2].text.contains("<span class=\"minus\">- approved</span>"))
        #expect(pages[2].text.contains("<span class=\"plus\">+ declined</span>"))
        let nasty = HTMLReport.pages(Results.nastyReport)
        #expect(nasty.allSatisfy { !$0.text.contains("a<b>") })
    }

    @Test("a page of an earlier run is known by its name and its contents")
    func leftOvers() {
        let page = HTMLReport.pages(Results.report)[1].text
        #expect(HTMLReport.isLeftOver("scenario-5.html", text: page, in: Results.report))
        #expect(!HTMLReport.isLeftOver("scenario-4.html", text: page, in: Results.report))
        #expect(!HTMLReport.isLeftOver("scenario-5.html", text: "<html></html>", in: Results.report))
        for name in ["scenario-05.html", "scenario-.html", "scenario--5.html", "scenario-5.htm", "index.html"] {
            #expect(!HTMLReport.isLeftOver(name, text: page, in: Results.report), "\(name)")
        }
    }

    @Test("the index lists failures first with their reasons, each result once, and has a search and a filter")
    func index() throws {
        let text = HTMLReport.pages(Results.report)[0].text
        let rows = text.components(separatedBy: "<tr ").dropFirst()
        #expect(
            rows.map { String($0.components(separatedBy: "href=\"")[1].prefix { $0 != "\"" }) }
                == ["scenario-2.html", "scenario-4.html", "scenario-1.html", "scenario-3.html"])
        #expect(
            rows.first?.contains(
                "<code>step 2, pay 12.50 USD: outcome: expected 'approved', seen 'declined'</code>")
                == true)
        #expect(text.contains("<input type=\"search\""))
        #expect(text.contains("<option value=\"failed\">failed (1)</option>"))
        #expect(text.contains("content=\"width=device-width, initial-scale=1\""))
        #expect(!HTMLReport.pages(RunReport(seed: 1))[0].text.contains("<h2>Failures"))
    }

    @Test("annotations are at the lines of the expectations, each on its own line")
    func annotations() {
        let lines = GitHubReport.annotations(Results.report).split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(
            lines.first
                == "::error file=shop/pay.yaml,line=9,title=approve/amex::step 2, pay 12.50 USD: outcome: expected "
                + "'approved', seen 'declined'%0Acardpresent simulate run shop/approve/amex.yaml --seed 7")
        let nasty = GitHubReport.annotations(Results.nastyReport)
        #expect(nasty.split(separator: "\n").count == 1)
        #expect(nasty.hasPrefix("::error file=odd%2C%25.yaml,line=1,"))
    }

    @Test("at most as many annotations are written as GitHub shows")
    func manyAnnotations() {
        let report = RunReport(
            seed: 1, results: (1...40).map { Results.result("a/\($0)", .failed, mismatches: [Results.declined]) })
        #expect(GitHubReport.annotations(report).split(separator: "\n").count == 10)
    }

    @Test("the summary has a row for each group and lists every failure")
    func summary() {
        let text = GitHubReport.summary(Results.report)
        #expect(text.hasPrefix("### ❌ 4 scenarios: 1 passed, 1 failed, 1 passed unexpectedly, 1 failed as expected"))
        #expect(text.contains("| approve | 1 | 1 | 0 |"))
        #expect(text.contains("| decline | 0 | 1 | 1 |"))
        #expect(text.contains("<b>approve/amex</b>"))
        #expect(!GitHubReport.summary(Results.nastyReport).contains("a<b>"))
    }

    @Test("a failure is reported with both sides, the last events, and the command to repeat it")
    func failure() {
        #expect(
            FailureText.text(Results.report.scenarios[1]) == """
                shop/approve/amex.yaml:3: What approve/amex shows
                shop/pay.yaml:9: step 2, pay 12.50 USD: outcome: expected 'approved', seen 'declined'
                    - approved
                    + declined
                the last events:
                    0.000 s  step connect
                    1.000 s  waiting
                again: cardpresent simulate run shop/approve/amex.yaml --seed 7

                """)
    }

    @Test("a difference shows its context and the size of omitted parts")
    func difference() {
        let lines = (1...20).map(String.init)
        var seen = lines
        seen[9] = "ten"
        seen.remove(at: 15)
        let mismatch = Mismatch(key: "golden", file: "a", line: 1, expected: lines, seen: seen)
        #expect(
            mismatch.difference == [
                "  … 6 more", "  7", "  8", "  9", "- 10", "+ ten", "  11", "  12", "  13", "  14", "  15", "- 16",
                "  17", "  18", "  19", "  … 1 more",
            ])
    }

    @Test("a large difference is computed fast")
    func largeDifference() {
        let mismatch = Mismatch(
            key: "golden", file: "a", line: 1, expected: (0..<5000).map { "a\($0)" }, seen: (0..<5000).map { "b\($0)" })
        #expect(mismatch.difference.count == 10_000)
    }
}

@Suite("JUnit XML")
struct JUnitReportTests {
    @Test("suites, cases, failures, and skipped cases are counted, and times are simulated")
    func counts() throws {
        let root = try #require(try XMLDocument(xmlString: JUnitReport.text(Results.report)).rootElement())
        #expect(root.name == "testsuites")
        #expect(
            attributes(root) == [
                "name": "cardpresent simulate run", "tests": "4", "failures": "2", "errors": "0", "time": "6.000",
            ])
        let suites = root.elements(forName: "testsuite")
        #expect(suites.map { attributes($0)["name"] } == ["approve", "decline"])
        #expect(suites.map { attributes($0)["failures"] } == ["1", "1"])
        #expect(suites.map { attributes($0)["skipped"] } == ["0", "1"])
        let cases = suites.flatMap { $0.elements(forName: "testcase") }
        #expect(cases.map { attributes($0)["name"] } == ["visa", "amex", "lost", "stolen"])
        #expect(cases.allSatisfy { attributes($0)["time"] == "1.500" })
        #expect(cases[0].elements(forName: "failure").isEmpty && cases[0].elements(forName: "skipped").isEmpty)
        let failure = try #require(cases[1].elements(forName: "failure").first)
        #expect(attributes(failure)["type"] == "outcome")
        #expect(
            attributes(failure)["message"] == "step 2, pay 12.50 USD: outcome: expected 'approved', seen 'declined'")
        #expect(
            failure.stringValue?.contains("again: cardpresent simulate run shop/approve/amex.yaml --seed 7") == true)
        #expect(
            attributes(try #require(cases[2].elements(forName: "skipped").first)) == [
                "message": "the reader is not there yet"
            ])
    }

    @Test("with measured durations, times are real and the simulated ones are properties")
    func durations() throws {
        let text = JUnitReport.text(
            Results.report, durations: [.milliseconds(20), .milliseconds(1005), .zero, .microseconds(1500)])
        let root = try #require(try XMLDocument(xmlString: text).rootElement())
        #expect(attributes(root)["time"] == "1.026")
        #expect(root.elements(forName: "testsuite").map { attributes($0)["time"] } == ["1.025", "0.001"])
        let cases = root.elements(forName: "testsuite").flatMap { $0.elements(forName: "testcase") }
        #expect(cases.map { attributes($0)["time"] } == ["0.020", "1.005", "0.000", "0.001"])
        for entry in cases {
            let properties = try #require(entry.elements(forName: "properties").first).elements(forName: "property")
            #expect(
                properties.map(attributes) == [
                    ["name": "virtual_time", "value": "1.500"], ["name": "seed", "value": "7"],
                ])
        }
    }

    @Test("every element and attribute is in the common schema")
    func schema() throws {
        // What the reports of JUnit and of Jenkins' plugin have in common.
        let known: [String: Set<String>] = [
            "testsuites": ["name", "tests", "failures", "errors", "time"],
            "testsuite": ["name", "tests", "failures", "errors", "skipped", "time"],
            "testcase": ["name", "classname", "time"], "failure": ["message", "type"], "skipped": ["message"],
            "properties": [], "property": ["name", "value"],
        ]
        for report in [Results.report, Results.nastyReport, RunReport(seed: 1)] {
            var rest = [try #require(try XMLDocument(xmlString: JUnitReport.text(report)).rootElement())]
            while let element = rest.popLast() {
                let allowed = try #require(known[element.name ?? ""], "no such element")
                #expect(Set(attributes(element).keys).isSubset(of: allowed))
                rest += element.children?.compactMap { $0 as? XMLElement } ?? []
            }
        }
    }

    @Test("characters that are invalid in XML are omitted, and others are unchanged")
    func nasty() throws {
        let text = JUnitReport.text(Results.nastyReport)
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{FFFE}" })
        let root = try #require(try XMLDocument(xmlString: text).rootElement())
        let failure = try #require(try root.nodes(forXPath: "//failure").first as? XMLElement)
        #expect(failure.stringValue?.contains("a<b>&\"'#\\[31m|%,:\n]]>") == true)
    }

    private func attributes(_ element: XMLElement) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (element.attributes ?? []).map { ($0.name ?? "", $0.stringValue ?? "") })
    }
}
