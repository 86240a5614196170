import Foundation
import Testing

@testable import Doctor

/// Checks of the installed files without udevd. ``UdevRunTests`` lets udev itself read them.
@Suite struct InstalledFileTests {
    private static let rules = [InstalledFile.rules, .exclusiveRules]

    @Test func `the program contains the files of the folder udev`() throws {
        let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../udev").standardizedFileURL
        for (name, file) in [
            ("60-cardpresent.rules", InstalledFile.rules), ("61-cardpresent-exclusive.rules", .exclusiveRules),
            ("cardpresent.sysusers.conf", .group),
        ] { #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == Data(file.contents), "\(name)") }
    }

    @Test func `their names order the rules after those for interfaces and before those for access lists`() {
        for file in Self.rules {
            #expect(file.name > "60-autosuspend.rules")
            #expect(file.name < "70-uaccess.rules")
        }
    }

    @Test(arguments: rules) func `every line is a rule, and every jump goes forward to a label`(
        file: InstalledFile
    ) throws {
        let parsed = UdevRulesFile(file.text)
        #expect(parsed.faultyLines.isEmpty)
        var labels: [String: Int] = [:]
        for rule in parsed.rules {
            guard let label = rule.assigned("LABEL") else { continue }
            #expect(labels.updateValue(rule.line, forKey: label) == nil)
            #expect(label.hasPrefix("cardpresent_"), "labels are those of one file, and read better with its name")
        }
        var used: Set<String> = []
        for rule in parsed.rules {
            guard let label = rule.assigned("GOTO") else { continue }
            used.insert(label)
            #expect(try #require(labels[label]) > rule.line)
        }
        #expect(used == Set(labels.keys))
    }

    @Test(arguments: rules) func `only removals are ignored`(file: InstalledFile) throws {
        let parsed = UdevRulesFile(file.text).rules
        let guardRule = try #require(parsed.first)
        #expect(guardRule.required("ACTION") == "remove")
        #expect(guardRule.assigned("GOTO") == parsed.last?.assigned("LABEL"))
        #expect(parsed.dropFirst().allSatisfy { rule in !rule.tokens.contains { $0.key == "ACTION" } })
    }

    @Test func `the rules use the group of the other file, and give access to no one else`() {
        let group = "g \(InstalledFile.groupName) - -"
        #expect(InstalledFile.group.text.split(separator: "\n").filter { !$0.hasPrefix("#") } == [group[...]])
        for file in Self.rules {
            let parsed = UdevRulesFile(file.text).rules
            #expect(Set(parsed.compactMap { $0.assigned("GROUP") }) == [InstalledFile.groupName])
            #expect(Set(parsed.compactMap { $0.assigned("MODE") }) == ["0660"])
        }
    }

    @Test func `the numbers of magnetic stripe readers are the same for both kinds of node`() {
        let parsed = UdevRulesFile(InstalledFile.rules.text).rules
        func numbers(_ key: String) -> [[String?]] {
            parsed.filter { $0.assigned("ENV", ".CARDPRESENT") != nil }
                .map { [$0.required(key, "idVendor"), $0.required(key, "idProduct")] }.filter { $0[0] != nil }
        }
        #expect(numbers("ATTR").count == 6)
        #expect(numbers("ATTR") == numbers("ATTRS"))
    }
}
