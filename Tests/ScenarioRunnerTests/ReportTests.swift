import Foundation
import ScenarioRunner
import Testing

@Suite("Reports of runs")
struct ReportTests {
    @Test("TAP has a plan, a line for each scenario, and says why one failed")
    func tap() {
        let lines = TAPReport.text(Results.report).split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["TAP version 14", "1..4", "ok 1 - approve/visa"])
        #expect(lines.contains("not ok 2 - approve/amex"))
        #expect(lines.contains("not ok 3 - decline/lost # TODO the reader is not there yet"))
        #expect(lines.contains("not ok 4 - decline/stolen"))
        #expect(lines.contains("  expected:") && lines.contains("    - \"approved\""))
        #expect(lines.filter { $0 == "  ---" }.count == lines.filter { $0 == "  ..." }.count)
    }

    @Test("TAP of odd names has no directive and no line that is not its own")
    func nastyTAP() {
        let lines = TAPReport.text(Results.nastyReport).split(separator: "\n", omittingEmptySubsequences: false)
        let line = lines[2]
        #expect(line.hasPrefix("not ok 1 - odd/a<b>&\"'\\#\\\\"))
        #expect(lines.dropFirst(3).allSatisfy { $0.isEmpty || $0.hasPrefix("  ") })
    }

    @Test("TAP of nothing is skipped as a whole")
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

    @Test("HTML has a page for each scenario, and takes nothing from elsewhere")
    func html() throws {
        let pages = HTMLReport.pages(Results.report)
        #expect(
            pages.map(\.fileName) == [
                "index.html", "scenario-1.html", "scenario-2.html", "scenario-3.html", "scenario-4.html",
            ])
        #expect(
            pages.allSatisfy {
                !$0.text.contains("http://") && !$0.text.contains("https://") && !$0.text.contains("<script")
            })
        #expect(pages[0].text.contains("<a href=\"scenario-2.html\">amex</a>"))
        #expect(pages[2].text.contains("<span class=\"minus\">- approved</span>"))
        #expect(pages[2].text.contains("<span class=\"plus\">+ declined</span>"))
        let nasty = HTMLReport.pages(Results.nastyReport)
        #expect(nasty.allSatisfy { !$0.text.contains("a<b>") })
    }

    @Test("annotations stand at the lines of the expectations, each on a line of its own")
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

    @Test("not more annotations are written than GitHub shows")
    func manyAnnotations() {
        let report = RunReport(
            seed: 1, results: (1...40).map { Results.result("a/\($0)", .failed, mismatches: [Results.declined]) })
        #expect(GitHubReport.annotations(report).split(separator: "\n").count == 10)
    }

    @Test("the summary has a row for each group, and tells every failure")
    func summary() {
        let text = GitHubReport.summary(Results.report)
        #expect(text.hasPrefix("### ❌ 4 scenarios: 1 passed, 1 failed, 1 passed unexpectedly, 1 failed as expected"))
        #expect(text.contains("| approve | 1 | 1 | 0 |"))
        #expect(text.contains("| decline | 0 | 1 | 1 |"))
        #expect(text.contains("<b>approve/amex</b>"))
        #expect(!GitHubReport.summary(Results.nastyReport).contains("a<b>"))
    }

    @Test("what failed is told with both sides, the last events and the command that does it again")
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

    @Test("a difference shows what is near it, and how much is left out")
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

    @Test("a difference of a great deal takes no endless time")
    func largeDifference() {
        let mismatch = Mismatch(
            key: "golden", file: "a", line: 1, expected: (0..<5000).map { "a\($0)" }, seen: (0..<5000).map { "b\($0)" })
        #expect(mismatch.difference.count == 10_000)
    }
}
