internal import EMV
internal import SettingsFile

/// The section `revokedCertificates`: issuer certificates that the payment systems have taken back.
struct RevocationSettings {
    let revocations: [CertificateRevocation]

    /// The most entries of a till.
    private static let limit = 10_000

    /// Reads the section of a whole configuration.
    init(_ root: SettingsNode) throws(SettingsError) {
        var revocations: [CertificateRevocation] = []
        for node in try root.optional("revokedCertificates")?.list(count: 0...Self.limit) ?? [] {
            try node.mapping(allowedKeys: ["rid", "index", "serialNumber"])
            revocations.append(
                CertificateRevocation(
                    rid: try node.required("rid").hex(length: 5),
                    index: try node.required("index").hex(length: 1).first ?? 0,
                    serialNumber: try node.required("serialNumber").hex(length: 3)))
        }
        self.revocations = revocations
    }
}
