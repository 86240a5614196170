internal import Glibc

/// Who runs the program.
public struct LoginUser: Hashable, Sendable {
    /// The person: who called sudo, where somebody did; else the user of the process.
    public var name: String
    /// Whether the process has root's rights.
    public var isRoot: Bool
    /// Whether ``name`` is another user than the one of the process, as with sudo.
    public var isSomebodyElse: Bool
    /// The numbers of the groups that the process is in. Those of a login are fixed when it begins.
    public var groups: Set<UInt32>

    public init(name: String, isRoot: Bool, isSomebodyElse: Bool = false, groups: Set<UInt32> = []) {
        (self.name, self.isRoot) = (name, isRoot)
        (self.isSomebodyElse, self.groups) = (isSomebodyElse, groups)
    }

    /// The user of this process, with its environment variables: sudo(8) says in one of them who called it.
    public static func current(environment: [String: String]) -> LoginUser {
        let number = geteuid()
        var groups: Set<UInt32> = [getegid()]
        var list = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(clamping: list.count), &list)
        groups.formUnion(list.prefix(max(0, Int(count))))
        if number == 0, let caller = environment["SUDO_USER"], !caller.isEmpty, caller != "root" {
            return LoginUser(name: caller, isRoot: true, isSomebodyElse: true, groups: groups)
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
