internal import CCID

/// A quirk of a reader, for `readers info` and `readers quirks`.
struct QuirkView: Encodable, Hashable, Sendable {
    /// The key in the configuration.
    var kind: String
    /// What the driver does about it.
    var does: String

    init(_ quirk: ReaderQuirk) { (kind, does) = (quirk.kind.rawValue, quirk.description) }
}

extension CommandFailure {
    /// Why a reader could not be used.
    init(opening error: CCIDError) {
        guard case .firmwareRefused = error else {
            self.init(.reader, code: "reader_failed", message: error.description)
            return
        }
        self.init(
            .reader, code: "firmware_refused", message: error.description,
            fix: "to use it all the same, set readers.allowRefusedFirmware in the configuration")
    }
}
