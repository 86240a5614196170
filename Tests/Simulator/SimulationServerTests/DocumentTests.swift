import FoundationEssentials
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("The OpenAPI document")
struct DocumentTests {
    private let check = DocumentCheck.standard

    @Test("has every route, and no other")
    func routes() throws {
        let paths = try #require(check.document["paths"]?.members)
        let documented = paths.flatMap { path, operations in
            operations.members.keys.map { "\($0.uppercased()) \(path)" }
        }
        #expect(documented.sorted() == ServiceRoute.table.map { "\($0.method) \($0.path)" }.sorted())
        let names = paths.values.flatMap(\.members.values).compactMap { $0["operationId"]?.text }
        #expect(Set(names).count == ServiceRoute.table.count)
    }

    @Test("equals the committed file")
    func committed() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let file = folder.appending(path: "../../../Simulator/Service/openapi.json")
        if ProcessInfo.processInfo.environment["CARDPRESENT_UPDATE_OPENAPI"] != nil {
            try Data(OpenAPIDocument.bytes).write(to: file)
        }
        let committed = try Data(contentsOf: file)
        // Not two lists in #expect: it looks for the differences of 240,000 bytes one by one.
        let isCommitted = Array(committed) == OpenAPIDocument.bytes
        #expect(isCommitted, "run this test with CARDPRESENT_UPDATE_OPENAPI=1, and look at what changed")
    }

    @Test("has no broken references and no unused schemas")
    func references() throws {
        var found: Set<String> = []
        func collect(_ value: JSON) {
            if let reference = value["$ref"]?.text {
                found.insert(String(reference.dropFirst("#/components/schemas/".count)))
            }
            for member in value.members.values { collect(member) }
            for element in value.elements { collect(element) }
        }
        collect(check.document)
        #expect(found == Set(OpenAPIDocument.schemas.keys))
    }

    @Test("is served unchanged")
    func served() async throws {
        let reply = await Asked().ask("GET", "/openapi.json")
        #expect(reply.bytes == OpenAPIDocument.bytes)
        #expect(reply.json["openapi"]?.text == "3.1.0")
    }

    @Test("has parameters for every name in a path")
    func parameters() throws {
        for (path, operations) in check.document["paths"]?.members ?? [:] {
            let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
            for operation in operations.members.values {
                let given =
                    operation["parameters"]?.elements.filter { $0["in"]?.text == "path" }
                    .compactMap { $0["name"]?.text } ?? []
                #expect(given == names.map(String.init))
            }
        }
    }

    @Test("detects an invalid value")
    func finds() throws {
        let schema = try JSON(Array(##"{"$ref": "#/components/schemas/Clock"}"##.utf8))
        #expect(check.mistakes(in: [:], schema, at: "").count == 2)
        let value: JSONValue = ["now": "x", "elapsedMilliseconds": "1", "more": .null]
        #expect(check.mistakes(in: value, schema, at: "").count == 2)
    }

    @Test("matches the response of the catalogue")
    func catalog() async throws {
        let reply = await Asked().ask("GET", "/v1/catalogue").json
        #expect((reply["cards"]?.elements.count ?? 0) > 60)
        #expect(reply["readerModels"]?.elements.contains(.text("pinpad")) == true)
    }
}
