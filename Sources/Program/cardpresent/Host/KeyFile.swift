internal import ArgumentParser
internal import HostSecurity
internal import Hosts
internal import ISO8583

/// `--keys`
struct KeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "YAML file of the keys for MACs, PINs, and key exchanges, readable by its owner alone.", valueName: "file"),
        completion: .file())
    var keys: String?

    /// - Returns: nil without the option.
    /// - Throws: `CommandFailure`
    func load() throws(CommandFailure) -> HostKeys? {
        guard let keys else { return nil }
        return try KeyFile.load(keys)
    }
}

/// A file of keys that terminal and host share.
enum KeyFile {
    /// - Throws: `CommandFailure`
    static func load(_ path: String) throws(CommandFailure) -> HostKeys {
        do throws(HostKeysError) { return try HostKeys(path: path) } catch {
            throw CommandFailure(.configuration, code: "key_file", message: error.message, fix: error.fix)
        }
    }

    /// Makes the security of a link; nil without them.
    ///
    /// - Throws: `CommandFailure` when they are not those of the profile.
    static func security(_ profile: MessageProfile, _ keys: HostKeys?) throws(CommandFailure) -> LinkSecurity? {
        do throws(KeyObstacle) {
            if let keys { return try LinkSecurity(profile, keys: keys) }
            return nil
        } catch {
            throw CommandFailure(
                .configuration, code: "key_file", message: "the keys are not those of '\(profile.name)': \(error)",
                fix: error.fix)
        }
    }
}
