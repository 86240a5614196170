internal import EMV
internal import SettingsFile

/// The section `revocations`: issuer certificates that a payment system has revoked (EMV Book 2 §5.1.2).
struct RevocationSettings {
    private(set) var revocations: [CertificateRevocation] = []

    /// The most entries of a till. A terminal must hold at least 30 for each payment system.
    private static let limit = 3000

    init(_ section: SettingsNode?) throws(SettingsError) {
        var known: Set<CertificateRevocation> = []
        for node in try ListWithFiles.values(section) {
            try node.mapping(allowedKeys: ["rid", "index", "serial"])
            let revocation = CertificateRevocation(
                rid: try node.required("rid").hex(length: 5),
                index: try node.required("index").hex(length: 1).first ?? 0,
                serialNumber: try node.required("serial").hex(length: 3))
            // Lists of several sources overlap, and revoked twice is revoked.
            guard known.insert(revocation).inserted else { continue }
            guard revocations.count < Self.limit else { throw node.error("more than \(Self.limit) certificates") }
            revocations.append(revocation)
        }
    }
}
