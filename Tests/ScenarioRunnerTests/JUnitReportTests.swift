import Foundation
import FoundationXML
import ScenarioRunner
import Testing

@Suite("JUnit XML")
struct JUnitReportTests {
    @Test("suites, cases, failures and what was skipped are counted, and times are those of the virtual clock")
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
        #expect(cases[0].childCount == 0)
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

    @Test("the common schema knows every element and attribute")
    func schema() throws {
        // What the reports of JUnit and of Jenkins' plugin have in common.
        let known: [String: Set<String>] = [
            "testsuites": ["name", "tests", "failures", "errors", "time"],
            "testsuite": ["name", "tests", "failures", "errors", "skipped", "time"],
            "testcase": ["name", "classname", "time"], "failure": ["message", "type"], "skipped": ["message"],
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

    @Test("characters that XML cannot have are left out, and the others are what they were")
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
