import Doctor
import Foundation
import Testing

@Suite struct DocumentationTests {
    @Test func `the table of docs has every check in its order, and the exit codes of the problems`() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/doctor.md").standardizedFileURL
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        #expect(rows.compactMap(\.first) == CheckName.allCases.map { "`\($0.rawValue)`" })
        let codes = Set(rows.compactMap { $0.dropFirst().first }.flatMap { $0.components(separatedBy: ", ") })
        #expect(codes == ["0", "5", "6", "65", "69", "75", "78"])
    }

    @Test func `every check has a purpose, and no two the same`() {
        let purposes = CheckName.allCases.map(\.purpose)
        #expect(Set(purposes).count == purposes.count)
        #expect(purposes.allSatisfy { $0.hasSuffix(".") })
    }
}
