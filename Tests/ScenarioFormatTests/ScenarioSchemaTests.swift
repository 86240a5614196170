import Foundation
import ScenarioFormat
import Testing

@Suite("The JSON Schema of scenario files")
struct ScenarioSchemaTests {
    @Test("the file that is shipped is the one that the table of keys makes")
    func shipped() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Simulator/ScenarioFormat/scenario.schema.json")
        let shipped = try String(contentsOf: path, encoding: .utf8)
        #expect(
            shipped == ScenarioSchema.text,
            "write it again: cardpresent simulate schema > Simulator/ScenarioFormat/scenario.schema.json")
    }

    @Test("it names every key, and refuses others")
    func keys() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(ScenarioSchema.text.utf8)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let scenario = try #require(definitions["scenario"])
        let properties = try #require(scenario["properties"] as? [String: Any])
        #expect(Set(properties.keys) == Set(ScenarioKeys.file.keys.map(\.name)))
        #expect(scenario["additionalProperties"] as? Bool == false)
        #expect(scenario["required"] as? [String] == ["template_version", "description", "steps"])
        let expect = try #require(definitions["expect"]?["properties"] as? [String: Any])
        #expect(Set(expect.keys) == Set(ExpectationKeys.record.keys.map(\.name)))
    }
}
