public import SettingsFile

/// The configuration file.
public struct ConfigurationCheck: Check {
    private let path: String?
    private let fault: SettingsError?

    /// - Parameters:
    ///   - path: the file that is read; nil when the standard configuration is in force.
    ///   - fault: why it cannot be used; nil when it can.
    public init(path: String?, fault: SettingsError?) { (self.path, self.fault) = (path, fault) }

    public var name: CheckName { .configuration }

    public func findings() async -> [Finding] {
        guard let fault else {
            return [.ok(path.map { "\($0) can be used" } ?? "no file: the standard one is in force")]
        }
        let key = fault.keyPath.isEmpty ? "" : "\(fault.keyPath): "
        return [
            .problem(
                .configuration, about: "\(fault.location)", key + fault.message, cause: fault.fix,
                fix: path.map { "cardpresent config check \($0)" })
        ]
    }
}
