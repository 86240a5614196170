import Glibc

/// The user who runs the program.
public struct LoginUser: Hashable, Sendable {
    /// The user who called sudo, or else the user of the process.
    public var name: String
    /// Whether the process has root privileges.
    public var isRoot: Bool
    /// Whether ``name`` is not the user of the process, as with sudo.
    public var isSudoCaller: Bool
    /// The group IDs of the process, which are set when the login session starts.
    public var groups: Set<UInt32>

    /// Describes a user. `isSudoCaller` means that the process runs as another user; `groups` are IDs.
    public init(name: String, isRoot: Bool, isSudoCaller: Bool = false, groups: Set<UInt32> = []) {
        (self.name, self.isRoot) = (name, isRoot)
        (self.isSudoCaller, self.groups) = (isSudoCaller, groups)
    }

    /// Returns the user of this process. `SUDO_USER` in the environment names the caller of sudo(8).
    public static func current(environment: [String: String]) -> LoginUser {
        let number = geteuid()
        var groups: Set<UInt32> = [getegid()]
        var list = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(clamping: list.count), &list)
        groups.formUnion(list.prefix(max(0, Int(count))))
        if number == 0, let caller = environment["SUDO_USER"], !caller.isEmpty, caller != "root" {
            return LoginUser(name: caller, isRoot: true, isSudoCaller: true, groups: groups)
        }
        return LoginUser(name: name(of: number), isRoot: number == 0, groups: groups)
    }

    private static func name(of number: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        guard getpwuid_r(number, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return "\(number)" }
        return String(cString: name)
    }
}

/// The users and groups in the files of a system (passwd(5), group(5)).
struct AccountFiles: Sendable {
    struct Group: Hashable, Sendable {
        var name: String
        var number: UInt32
        /// The members listed in group(5), without users whose primary group it is.
        var members: [String]
    }

    private let files: SystemFiles

    init(_ files: SystemFiles) { self.files = files }

    /// Returns the group with a name; nil when there is none.
    func group(named name: String) -> Group? { groups.first { $0.name == name } }

    /// Returns the name of the group with an ID, or the ID as text.
    func name(ofGroup number: UInt32) -> String { groups.first { $0.number == number }?.name ?? "\(number)" }

    /// Returns whether a user is a listed member of a group or has it as the primary group.
    func isMember(_ user: String, of group: Group) -> Bool {
        group.members.contains(user) || primaryGroup(of: user) == group.number
    }

    /// The largest ID of a system group (login.defs(5), SYS_GID_MAX; default 999).
    var largestSystemGroup: UInt32 {
        for line in lines("/etc/login.defs") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if words.count >= 2, words[0] == "SYS_GID_MAX", let number = UInt32(words[1]) { return number }
        }
        return 999
    }

    /// The largest unused ID of a system group.
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

    private func primaryGroup(of user: String) -> UInt32? {
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
