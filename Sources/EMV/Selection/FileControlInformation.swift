internal import SmartCard

/// The answer to SELECT: template 6F with 84 and A5 (EMV Book 1 §11.3.4).
struct FileControlInformation {
    let dfName: [UInt8]
    /// The data objects of the proprietary template A5.
    let proprietary: [BERTLV]

    /// - Returns: nil when the answer is not exactly one template 6F with a DF name of 5...16 bytes and a
    ///   proprietary template.
    init?(_ response: [UInt8]) {
        guard let objects = try? BERTLV.parse(response), objects.count == 1, let template = objects.first,
            template.tag == EMVTag.fileControlInformation,
            let dfName = template.children.first(where: { $0.tag == EMVTag.dfName })?.value,
            (5...16).contains(dfName.count),
            let proprietary = template.children.first(where: { $0.tag == EMVTag.fciProprietary })
        else { return nil }
        (self.dfName, self.proprietary) = (dfName, proprietary.children)
    }

    /// The value of a data object that stands directly in A5.
    func value(_ tag: BERTag) -> [UInt8]? { proprietary.first { $0.tag == tag }?.value }
}
