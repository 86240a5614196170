internal import Cryptography
internal import SmartCard

/// GENERATE AC, the first (EMV Book 3 §10.8) and the second (§10.11).
struct CryptogramGeneration {
    let session: CardSession

    /// Asks for a cryptogram of this type with the data that CDOL1 (8C) or CDOL2 (8D) wants.
    func perform(
        _ type: CryptogramType, _ listTag: BERTag, _ transaction: inout Transaction
    ) async throws(KernelStop) {
        let list = try transaction.list(listTag)
        if list.asks(for: EMVTag.certificateHash) { try hashCertificateData(&transaction) }
        var data = transaction.fill(list)
        defer { data.wipe() }
        let response = try await session.generateApplicationCryptogram(type, data)
        guard response.status == .success else {
            throw .failed(.status(.generateApplicationCryptogram, response.status))
        }
        let cryptogram = try Self.parse(response.data)
        transaction.statusInformation.insert(.cardRiskManagementPerformed)
        guard type.permits(cryptogram.type) else {
            throw .failed(.cryptogramNotAsked(requested: type, received: cryptogram.type))
        }
        transaction.cryptogram = cryptogram
        transaction.data.set(EMVTag.cryptogramInformation, [cryptogram.information.rawValue])
        transaction.data.set(
            EMVTag.transactionCounter, [UInt8(cryptogram.counter >> 8), UInt8(cryptogram.counter & 0xFF)])
        transaction.data.set(EMVTag.applicationCryptogram, cryptogram.value)
        transaction.data.set(EMVTag.issuerApplicationData, cryptogram.issuerApplicationData)
    }

    /// TC hash (98) over the filled TDOL (97), the card's or the terminal's own (EMV Book 3 §9.2.2).
    private func hashCertificateData(_ transaction: inout Transaction) throws(KernelStop) {
        let list: DataObjectList
        if transaction.data.contains(EMVTag.tdol) {
            list = try transaction.list(EMVTag.tdol)
        } else if let own = transaction.terminalApplication?.defaultTDOL {
            transaction.verificationResults.insert(.defaultTDOLUsed)
            list = own
        } else {
            list = try transaction.list(EMVTag.tdol)
        }
        var data = transaction.fill(list)
        defer { data.wipe() }
        do throws(CryptographyError) { transaction.data.set(EMVTag.certificateHash, try SHA1.hash(data)) } catch {
            throw .failed(.cryptography)
        }
    }

    /// Reads format 1 (template 80: CID, ATC, cryptogram, issuer application data) and format 2 (template
    /// 77: data objects).
    static func parse(_ data: [UInt8]) throws(KernelStop) -> CardCryptogram {
        let malformed = KernelStop.failed(.malformedAnswer(.generateApplicationCryptogram))
        guard let objects = try? BERTLV.parse(data), objects.count == 1, let template = objects.first else {
            throw malformed
        }
        let information: [UInt8]
        let counter: [UInt8]
        let value: [UInt8]
        let issuerData: [UInt8]
        switch template.tag {
        case EMVTag.responseFormat1:
            let bytes = template.value
            guard (11...43).contains(bytes.count) else { throw malformed }
            (information, counter) = (Array(bytes[0..<1]), Array(bytes[1..<3]))
            (value, issuerData) = (Array(bytes[3..<11]), Array(bytes[11...]))
        case EMVTag.responseFormat2:
            func child(_ tag: BERTag) -> [UInt8]? { template.children.first { $0.tag == tag }?.value }
            func needed(_ tag: BERTag) throws(KernelStop) -> [UInt8] {
                guard let value = child(tag) else { throw .failed(.data(.missing(tag))) }
                return value
            }
            information = try needed(EMVTag.cryptogramInformation)
            counter = try needed(EMVTag.transactionCounter)
            value = try needed(EMVTag.applicationCryptogram)
            issuerData = child(EMVTag.issuerApplicationData) ?? []
        default: throw malformed
        }
        guard let first = information.first, information.count == 1, counter.count == 2, value.count == 8,
            issuerData.count <= 32
        else { throw malformed }
        let cid = CryptogramInformationData(rawValue: first)
        guard let type = cid.type else { throw malformed }
        return CardCryptogram(
            type: type, information: cid, counter: counter.reduce(0) { $0 << 8 | UInt16($1) }, value: value,
            issuerApplicationData: issuerData)
    }
}
