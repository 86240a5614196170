import Doctor
import Foundation
import Testing

@Suite struct DocumentationTests {
    @Test func `the table in the documentation lists every check in order, with its exit codes`() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/doctor.md")
            .standardizedFileURL
        let sections = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## ")
        let checks = try #require(sections.first { $0.contains("| check | exit code |") })
        let rows = checks.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        #expect(rows.compactMap(\.first) == CheckName.allCases.map { "`\($0.rawValue)`" })
        let codes = Set(rows.compactMap { $0.dropFirst().first }.flatMap { $0.components(separatedBy: ", ") })
        #expect(codes == ["0", "5", "6", "65", "69", "75", "78"])
    }

    @Test func `every check has a different purpose`() {
        let purposes = CheckName.allCases.map(\.purpose)
        #expect(Set(purposes).count == purposes.count)
        #expect(purposes.allSatisfy { $0.hasSuffix(".") })
    }
}
