public import CCID
internal import USB

/// Whether the kernel puts readers to sleep that do not wake up.
public struct PowerCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - quirks: what is known of readers.
    public init(root: String = "", quirks: ReaderQuirkTable = .embedded) {
        (files, kernel, self.quirks) = (SystemFiles(root: root), KernelDeviceList(root: root), quirks)
    }

    public var name: CheckName { .power }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("no USB in this kernel")]
        }
        guard !readers.isEmpty else { return [.skipped("no card reader is plugged in")] }
        return readers.map(finding)
    }

    private func finding(_ reader: PluggedReader) -> Finding {
        let power = "\(reader.directory)/power"
        let control = files.attribute("\(power)/control") ?? "unknown"
        let command = "echo on | sudo tee \(power)/control"
        let repair = Repair("keep \(reader.name) awake", steps: [.write("on", to: "\(power)/control")])
        if files.attribute("\(power)/runtime_status") == "error" {
            return .problem(
                .reader, about: reader.name, "the kernel could not wake it up (\(power)/runtime_status is error)",
                cause: "it does not stand being put to sleep", fix: "\(command), then unplug it and plug it in again",
                repair: repair)
        }
        let mustStayAwake = quirks.quirks(of: reader.device.descriptor).contains(.noAutosuspend)
        guard mustStayAwake, control == "auto" else { return .ok(about: reader.name, "power/control is \(control)") }
        return .problem(
            .reader, about: reader.name, "is put to sleep when it is idle (\(power)/control is auto)",
            cause: "readers of this model do not wake up again", fix: command, repair: repair)
    }
}
