/// The users and groups that a system keeps in its files (passwd(5), group(5)).
struct AccountFiles: Sendable {
    struct Group: Hashable, Sendable {
        var name: String
        var number: UInt32
        /// Those who are named in the group's line; whoever has it as the main group is not.
        var members: [String]
    }

    private let files: SystemFiles

    init(_ files: SystemFiles) { self.files = files }

    /// The group with a name; nil when there is none.
    func group(named name: String) -> Group? { groups.first { $0.name == name } }

    /// The group with a number, as people know it.
    func name(ofGroup number: UInt32) -> String { groups.first { $0.number == number }?.name ?? "\(number)" }

    /// Whether a user is in a group, by the group's line or as the main group.
    func isMember(_ user: String, of group: Group) -> Bool {
        group.members.contains(user) || mainGroup(of: user) == group.number
    }

    /// The largest number of a system group (login.defs(5), SYS_GID_MAX; 999 where nothing is said).
    var largestSystemGroup: UInt32 {
        for line in lines("/etc/login.defs") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if words.count >= 2, words[0] == "SYS_GID_MAX", let number = UInt32(words[1]) { return number }
        }
        return 999
    }

    /// The largest number of a system group that nobody has.
    var freeSystemGroup: UInt32 {
        let taken = Set(groups.map(\.number))
        return (1...max(1, largestSystemGroup)).last { !taken.contains($0) } ?? 1
    }

    private var groups: [Group] {
        lines("/etc/group").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 4, let number = UInt32(fields[2]) else { return nil }
            return Group(
                name: String(fields[0]), number: number, members: fields[3].split(separator: ",").map(String.init))
        }
    }

    private func mainGroup(of user: String) -> UInt32? {
        for line in lines("/etc/passwd") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 7, fields[0] == user { return UInt32(fields[3]) }
        }
        return nil
    }

    private func lines(_ path: String) -> [Substring] {
        (files.text(path) ?? "").split(whereSeparator: \.isNewline)
    }
}
