import Foundation
import Testing

/// `simulate run` and `simulate schema`
@Suite("Scenarios at the command line")
struct SimulateRunTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func scenario(_ outcome: String, amount: String = "12.50", to name: String) throws -> String {
        try scratch.write(
            """
            template_version: 1
            description: A payment that ends as \(outcome)
            tags: [\(outcome)]
            steps:
              - connect
              - pay: \(amount)
                expect: { outcome: \(outcome) }

            """, to: name)
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(["simulate", "run"] + arguments, in: scratch, environment: environment)
    }

    @Test func `passed scenarios exit with 0 and one line`() throws {
        let result = try run(try scenario("approved", to: "right.yaml"))
        #expect(result.status == 0)
        #expect(result.output == "1 scenario: 1 passed\n")
        #expect(result.error.isEmpty)
    }

    @Test func `progress is for a terminal, without --quiet and JSON in a file, and is cleared`() throws {
        let path = try scenario("approved", to: "right.yaml")
        func error(_ options: String...) throws -> String {
            try Child(["simulate", "run", path] + options, in: scratch, onTerminal: true).result().error
        }
        let shown = try error()
        #expect(shown.contains("1/1  "))
        #expect(shown.hasSuffix("\r\u{1B}[K"))
        #expect(try error("--quiet").isEmpty)
        #expect(try error("--json") == "1 scenario: 1 passed\n")
    }

    @Test func `failed scenarios exit with 1 and show both sides and the command to repeat them`() throws {
        let path = try scenario("declined", to: "wrong.yaml")
        let result = try run(path, "--seed", "7")
        #expect(result.status == 1)
        #expect(result.output == "1 scenario: 0 passed, 1 failed\n")
        let sentence = "\(path):7: step 2, pay 12.50 USD: outcome: expected 'declined', seen 'approved'"
        #expect(result.error.contains(sentence))
        #expect(result.error.contains("    - declined\n    + approved\n"))
        #expect(result.error.contains("again: cardpresent simulate run \(path) --seed 7\n"))
        let again = try run(path, "--seed", "7")
        #expect(again.status == 1 && again.error == result.error)
    }

    @Test func `no selected and no existing scenarios exit with 64`() throws {
        let path = try scenario("approved", to: "right.yaml")
        for arguments in [[path, "--tag", "none"], [path, "--filter", "none"], [path, "--shard", "2/2"]] {
            let result = try Program.run(["simulate", "run"] + arguments, in: scratch)
            #expect(result.status == 64)
            #expect(result.error.contains("none of 1 scenarios selected"))
        }
        #expect(try run(scratch.file("gone.yaml")).status == 64)
        #expect(try run(path, "--shard", "3/2").status == 64)
        #expect(try run(path, "--jobs", "0").status == 64)
        #expect(try run(path, "--tap", "--junit", "-").status == 64)
        #expect(try run().status == 64)
    }

    @Test func `an invalid file exits with 65 and all its errors, and nothing runs`() throws {
        let right = try scenario("approved", to: "right.yaml")
        let wrong = try scratch.write("template_version: 1\nstep: []\nsteps: [conect]\n", to: "wrong.yaml")
        let result = try run(right, wrong)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("\(wrong):1:1: the key 'description' is missing"))
        #expect(result.error.contains("\(wrong):2:1: unknown key 'step'; did you mean 'steps'?"))
        #expect(result.error.contains("\(wrong):3:9: steps[0]: unknown value 'conect'; did you mean 'connect'?"))
        #expect(result.error.contains("nothing was run: 3 errors in 1 file"))
    }

    @Test func `every report is written, and is the same with any number of jobs`() throws {
        let good = try scenario("approved", to: "good.yaml")
        let bad = try scenario("declined", to: "bad.yaml")
        for jobs in ["1", "3"] {
            let result = try run(
                good, bad, "--jobs", jobs, "--junit", scratch.file("\(jobs).xml"), "--json-file",
                scratch.file("\(jobs).json"), "--html", scratch.file("html\(jobs)"), "--tap", "--virtual-times")
            #expect(result.status == 1)
            #expect(result.output.hasPrefix("TAP version 14\n1..2\nok 1 - "))
        }
        for name in [".xml", ".json"] {
            let first = try Data(contentsOf: URL(fileURLWithPath: scratch.file("1\(name)")))
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file("3\(name)"))) == first)
        }
        let pages = try FileManager.default.contentsOfDirectory(atPath: scratch.file("html1")).sorted()
        #expect(pages == ["index.html", "scenario-1.html", "scenario-2.html"])
        #expect(try run(good, "--json-file", scratch.file("no/such.json")).status == 69)
    }

    @Test func `pages of an earlier run are removed, and foreign files stay`() throws {
        let good = try scenario("approved", to: "good.yaml")
        let other = try scenario("approved", to: "other.yaml")
        let third = try scenario("approved", to: "third.yaml")
        let folder = scratch.file("pages")
        #expect(try run(good, other, third, "--html", folder).status == 0)
        _ = try scratch.write("<html>mine</html>\n", to: "pages/scenario-7.html")
        _ = try scratch.write(try scratch.text("pages/scenario-3.html"), to: "pages/scenario-03.html")
        _ = try scratch.write(try scratch.text("pages/scenario-3.html"), to: "pages/notes.html")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/scenario-9.html", withDestinationPath: "scenario-3.html")
        #expect(try run(good, "--html", folder).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "index.html", "notes.html", "scenario-03.html", "scenario-1.html", "scenario-7.html", "scenario-9.html",
            ])
    }

    /// The library of scenarios, as a user has it.
    private static let library = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../Simulator/Resources/Scenarios").standardized.path

    /// The report on the library with every event, from a separate process, whose hash tables have another seed.
    /// The parts of the library whose scenarios have the most processes, threads, and messages.
    private static let parts = ["crash", "disk", "print", "refund", "wire/chance.yaml"]
        .map { library + "/" + $0 }

    private func report(_ name: String, _ arguments: String...) throws -> Data {
        let file = scratch.file(name + ".json")
        let result = try Program.run(
            ["simulate", "run"] + Self.parts
                + ["--seed", "9", "--json-file", file, "--html", scratch.file(name)] + arguments,
            in: scratch)
        #expect(result.status == 0, "\(result.error)")
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    @Test func `scenarios give the same bytes in every process, on one thread and on several`() throws {
        let first = try report("first", "--jobs", "1")
        #expect(try report("second", "--jobs", "2") == first)
        #expect(try report("third", "--jobs", "5") == first)
        #expect(first.count > 250_000, "the events are not in it")
    }

    @Test func `earlier scenarios do not affect a scenario`() throws {
        func byName(_ report: Data) throws -> [String: Data] {
            let object = try #require(try JSONSerialization.jsonObject(with: report) as? [String: Any])
            let scenarios = try #require(object["scenarios"] as? [[String: Any]])
            return Dictionary(
                uniqueKeysWithValues: try scenarios.map { scenario in
                    let file = try #require(scenario["file"] as? String)
                    let name = try #require(scenario["name"] as? String)
                    let bytes = try JSONSerialization.data(withJSONObject: scenario, options: .sortedKeys)
                    return (file + " " + name, bytes)
                })
        }
        let inOrder = try report("ordered", "--jobs", "1")
        let shuffled = try report("shuffled", "--jobs", "2", "--shuffle")
        #expect(shuffled != inOrder)
        let (one, other) = (try byName(inOrder), try byName(shuffled))
        #expect(one.count == other.count)
        #expect(one.keys.sorted().filter { one[$0] != other[$0] } == [])
    }

    // MARK: XML

    private static let hasXMLLint = FileManager.default.isExecutableFile(atPath: "/usr/bin/xmllint")
    private static let isCI = ProcessInfo.processInfo.environment["CI"] == "true"

    /// What build servers agree on of JUnit's report.
    private static let schema = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
          <xs:attributeGroup name="counts">
            <xs:attribute name="name" type="xs:string" use="required"/>
            <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="time" type="xs:decimal" use="required"/>
          </xs:attributeGroup>
          <xs:complexType name="told">
            <xs:simpleContent>
              <xs:extension base="xs:string">
                <xs:attribute name="message" type="xs:string" use="required"/>
                <xs:attribute name="type" type="xs:string"/>
              </xs:extension>
            </xs:simpleContent>
          </xs:complexType>
          <xs:element name="testsuites">
            <xs:complexType>
              <xs:sequence>
                <xs:element name="testsuite" minOccurs="0" maxOccurs="unbounded">
                  <xs:complexType>
                    <xs:sequence>
                      <xs:element name="testcase" minOccurs="0" maxOccurs="unbounded">
                        <xs:complexType>
                          <xs:sequence>
                            <xs:element name="properties">
                              <xs:complexType>
                                <xs:sequence>
                                  <xs:element name="property" maxOccurs="unbounded">
                                    <xs:complexType>
                                      <xs:attribute name="name" type="xs:string" use="required"/>
                                      <xs:attribute name="value" type="xs:string" use="required"/>
                                    </xs:complexType>
                                  </xs:element>
                                </xs:sequence>
                              </xs:complexType>
                            </xs:element>
                            <xs:choice minOccurs="0">
                              <xs:element name="failure" type="told"/>
                              <xs:element name="skipped" type="told"/>
                            </xs:choice>
                          </xs:sequence>
                          <xs:attribute name="name" type="xs:string" use="required"/>
                          <xs:attribute name="classname" type="xs:string" use="required"/>
                          <xs:attribute name="time" type="xs:decimal" use="required"/>
                        </xs:complexType>
                      </xs:element>
                    </xs:sequence>
                    <xs:attributeGroup ref="counts"/>
                    <xs:attribute name="skipped" type="xs:nonNegativeInteger" use="required"/>
                  </xs:complexType>
                </xs:element>
              </xs:sequence>
              <xs:attributeGroup ref="counts"/>
            </xs:complexType>
          </xs:element>
        </xs:schema>

        """

    @Test(.enabled(if: hasXMLLint || isCI, "xmllint is not installed"))
    func `xmllint accepts the JUnit file with any content`() throws {
        let nasty = #"]]> <&>'\" \u0001\u001B[31m\uFFFE é 日本 \U0001F4B3 %s\n\t-->"#
        let wrong = try scratch.write(
            """
            template_version: 1
            description: "\(nasty)"
            matrix: { text: ["\(nasty)", plain] }
            steps:
              - connect
              - pay: 12.50
                expect: { display: "${text}" }

            """, to: "]]> <&😀.yaml")
        let expected = try scratch.write(
            try scratch.text("]]> <&😀.yaml") + "expectedFailure: \"\(nasty)\"\n", to: "expected.yaml")
        let right = try scenario("approved", to: "right.yaml")
        let report = scratch.file("out.xml")
        let result = try run(wrong, expected, right, "--junit", report)
        #expect(result.status == 1)
        #expect(result.output == "5 scenarios: 1 passed, 2 failed, 2 failed as expected\n")
        let schema = try scratch.write(Self.schema, to: "junit.xsd")
        let check = try Child(
            program: "/usr/bin/xmllint", ["--noout", "--nonet", "--schema", schema, report], in: scratch
        ).result()
        #expect(check.status == 0, "\(check.error)")
        #expect(check.error == "\(report) validates\n")
        #expect(try scratch.text("out.xml").contains("é 日本 💳"))
    }

    @Test func `GitHub gets annotations at the lines, and the summary is appended`() throws {
        let path = try scenario("declined", to: "wrong.yaml")
        let summary = try scratch.write("before\n", to: "summary.md")
        let result = try run(path, environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary])
        #expect(result.output.contains("::error file=\(path),line=7,title="))
        let text = try String(contentsOfFile: summary, encoding: .utf8)
        #expect(text.hasPrefix("before\n### ❌ 1 scenario: 0 passed, 1 failed\n"))
    }

    @Test func `the schema is JSON and names every key of the file`() throws {
        let result = try Program.run(["simulate", "schema"], in: scratch)
        #expect(result.status == 0)
        let schema = try result.object()
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(result.output.contains("\"template_version\""))
    }
}
