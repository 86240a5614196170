internal import SmartCard

/// What an answer to GENERATE AC holds, before anything of it is believed (EMV Book 3 §6.5.5.4).
struct CryptogramAnswer {
    /// TC, ARQC or AAC
    let type: CryptogramType
    /// Tag 9F27
    let information: CryptogramInformationData
    /// Tag 9F36
    let counter: UInt16
    /// Tag 9F26, 8 bytes; nil when it stands in a signature.
    let cryptogram: [UInt8]?
    /// Tag 9F4B; nil when the card signed nothing.
    let signature: [UInt8]?
    /// Tag 9F10: 0...32 bytes.
    let issuerApplicationData: [UInt8]
    /// Every data object of template 77 but the signature, as it came: what the signature covers.
    let signedObjects: [UInt8]

    /// Reads format 1 (template 80: CID, ATC, cryptogram, issuer application data) and format 2 (template
    /// 77: data objects).
    init(_ data: [UInt8]) throws(KernelStop) {
        let malformed = KernelStop.failed(.malformedAnswer(.generateApplicationCryptogram))
        guard let objects = try? BERTLV.parse(data), objects.count == 1, let template = objects.first else {
            throw malformed
        }
        let information: [UInt8]
        let counter: [UInt8]
        switch template.tag {
        case EMVTag.responseFormat1:
            let bytes = template.value
            guard (11...43).contains(bytes.count) else { throw malformed }
            (information, counter) = (Array(bytes[0..<1]), Array(bytes[1..<3]))
            (cryptogram, issuerApplicationData) = (Array(bytes[3..<11]), Array(bytes[11...]))
            (signature, signedObjects) = (nil, [])
        case EMVTag.responseFormat2:
            func child(_ tag: BERTag) -> [UInt8]? { template.children.first { $0.tag == tag }?.value }
            func needed(_ tag: BERTag) throws(KernelStop) -> [UInt8] {
                guard let value = child(tag) else { throw .failed(.data(.missing(tag))) }
                return value
            }
            information = try needed(EMVTag.cryptogramInformation)
            counter = try needed(EMVTag.transactionCounter)
            cryptogram = child(EMVTag.applicationCryptogram)
            issuerApplicationData = child(EMVTag.issuerApplicationData) ?? []
            signature = child(EMVTag.signedDynamicData)
            signedObjects = template.children.filter { $0.tag != EMVTag.signedDynamicData }.flatMap(\.encoded)
        default: throw malformed
        }
        guard let first = information.first, information.count == 1, counter.count == 2, cryptogram?.count ?? 8 == 8,
            issuerApplicationData.count <= 32
        else { throw malformed }
        self.information = CryptogramInformationData(rawValue: first)
        guard let type = self.information.type else { throw malformed }
        self.type = type
        self.counter = counter.reduce(0) { $0 << 8 | UInt16($1) }
    }
}
