internal import CardSecrets
internal import Cryptography

/// The static data to be authenticated: what signatures on the card cover (EMV Book 3 §10.3). It holds
/// the PAN as a rule, so it is secret.
struct OfflineAuthenticationInput: ~Copyable {
    let staticData: SensitiveBytes
    /// Why it cannot be used: authentication fails then, whatever the method. nil when it can.
    let defect: StaticDataDefect?
}

/// Puts the static data together while the records are read.
struct OfflineAuthenticationInputBuilder: ~Copyable {
    private var bytes: [UInt8] = []
    private var defect: StaticDataDefect?

    /// Adds a record: in files 1...10 the content of its template 70, in others the record as it stands.
    ///
    /// - Parameters:
    ///   - record: the whole answer to READ RECORD.
    ///   - content: the value of template 70; nil when the record is none.
    ///   - file: short file identifier, 1...30.
    mutating func add(_ record: [UInt8], content: [UInt8]?, file: UInt8) {
        guard let content else {
            defect = .record
            return
        }
        bytes += file <= 10 ? content : record
    }

    /// Adds what the tag list (9F4A) asks for, of which only the profile (82) is allowed.
    consuming func finish(tagList: [UInt8]?, profile: [UInt8]) -> OfflineAuthenticationInput {
        if let tagList {
            if tagList == [0x82] { bytes += profile } else { defect = defect ?? .tagList }
        }
        let input = OfflineAuthenticationInput(staticData: SensitiveBytes(bytes), defect: defect)
        bytes.wipe()
        return input
    }
}
