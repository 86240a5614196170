import CardSecrets
import Cryptography
import SmartCard

/// The first (EMV Book 3 §10.8) and second (§10.11) GENERATE AC.
struct CryptogramGeneration {
    let session: CardSession

    /// The card's answer.
    struct Result: Hashable, Sendable {
        var type: CryptogramType
        /// False when CDA or XDA was requested and failed. With CDA, the terminal then accepts neither a TC nor an
        /// ARQC; with XDA, the issuer decides about both.
        var isAuthentic: Bool
    }

    /// Requests a cryptogram of this type with the data for CDOL1 (8C) or CDOL2 (8D), signed if CDA or XDA is selected.
    func perform(
        _ type: CryptogramType, _ listTag: BERTag, _ transaction: Transaction
    ) async throws(KernelStop) -> Result {
        let list = try transaction.list(listTag)
        if list.asks(for: EMVTag.certificateHash) { try hashCertificateData(transaction) }
        var data = transaction.fill(list, listTag)
        defer { data.wipe() }
        transaction.recordSent(data)
        let signature = Self.signature(for: type, transaction)
        let response = try await session.generateApplicationCryptogram(type, signature, data)
        guard response.status == .success else {
            throw .failed(.status(.generateApplicationCryptogram, response.status))
        }
        let answer = try CryptogramAnswer(response.data)
        transaction.statusInformation.insert(.cardRiskManagementPerformed)
        guard type.permits(answer.type) else {
            throw .failed(.cryptogramNotAsked(requested: type, received: answer.type))
        }
        // A card does not sign an AAC for CDA (EMV Book 2 §6.6.1). The signature of XDA hides no cryptogram (§12.5.2).
        guard signature == .combined, answer.type != .aac else {
            guard let cryptogram = answer.cryptogram else {
                throw .failed(.data(.missing(EMVTag.applicationCryptogram)))
            }
            record(answer, cryptogram, transaction)
            guard signature == .extended else { return Result(type: answer.type, isAuthentic: true) }
            let isFirst = listTag == EMVTag.cdol1
            var covered = isFirst ? transaction.sentData.withUnsafeBytes { Array($0) } : data
            defer { covered.wipe() }
            return Result(
                type: answer.type,
                isAuthentic: ExtendedAuthentication.verify(answer, covered, isFirst: isFirst, transaction))
        }
        do throws(OfflineAuthenticationError) {
            record(answer, try CombinedAuthentication.verify(answer, transaction), transaction)
            transaction.passOfflineAuthentication()
            return Result(type: answer.type, isAuthentic: true)
        } catch {
            transaction.failOfflineAuthentication(error)
            record(answer, answer.cryptogram, transaction)
            return Result(type: answer.type, isAuthentic: false)
        }
    }

    /// XDA asks for a signature in any case, also with an AAC and after a failure (EMV Book 2 §12.5.1).
    private static func signature(for type: CryptogramType, _ transaction: Transaction) -> CryptogramSignature {
        if transaction.offlineAuthentication.method == .xda { return .extended }
        return CombinedAuthentication.isWanted(type, transaction) ? .combined : .none
    }

    /// Stores the answer. A signature that is not valid yields no cryptogram.
    private func record(_ answer: CryptogramAnswer, _ cryptogram: [UInt8]?, _ transaction: Transaction) {
        transaction.cryptogram = cryptogram.map { value in
            CardCryptogram(
                type: answer.type, information: answer.information, counter: answer.counter, value: value,
                issuerApplicationData: answer.issuerApplicationData)
        }
        transaction.data.set(EMVTag.cryptogramInformation, [answer.information.rawValue])
        transaction.data.set(
            EMVTag.transactionCounter, [UInt8(answer.counter >> 8), UInt8(answer.counter & 0xFF)])
        transaction.data.set(EMVTag.applicationCryptogram, cryptogram)
        transaction.data.set(EMVTag.issuerApplicationData, answer.issuerApplicationData)
    }

    /// Sets the TC hash (98) over the data for the TDOL (97), the card's or the terminal's default (EMV Book 3 §9.2.2).
    private func hashCertificateData(_ transaction: Transaction) throws(KernelStop) {
        let list: DataObjectList
        if transaction.data.contains(EMVTag.tdol) {
            list = try transaction.list(EMVTag.tdol)
        } else if let own = transaction.terminalApplication?.defaultTDOL {
            transaction.verificationResults.insert(.defaultTDOLUsed)
            list = own
        } else {
            list = try transaction.list(EMVTag.tdol)
        }
        var data = transaction.fill(list, EMVTag.tdol)
        defer { data.wipe() }
        do throws(CryptographyError) { transaction.data.set(EMVTag.certificateHash, try SHA1.hash(data)) } catch {
            throw .failed(.cryptography)
        }
    }
}

/// The contents of a GENERATE AC response before verification (EMV Book 3 §6.5.5.4).
struct CryptogramAnswer {
    /// TC, ARQC or AAC
    let type: CryptogramType
    /// Tag 9F27
    let information: CryptogramInformationData
    /// Tag 9F36
    let counter: UInt16
    /// Tag 9F26, 8 bytes; nil when it is inside a signature.
    let cryptogram: [UInt8]?
    /// Tag 9F4B; nil when the card signed nothing.
    let signature: [UInt8]?
    /// Tag 9F10: 0...32 bytes.
    let issuerApplicationData: [UInt8]
    /// All data objects of template 77 except the signature, as received: the data that the signature covers.
    let signedObjects: [UInt8]

    /// Parses format 1 (template 80: CID, ATC, cryptogram, issuer application data) and format 2 (template 77: data
    /// objects).
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

/// The card's answer to GENERATE AC (EMV Book 3 §6.5.5).
public struct CardCryptogram: Hashable, Sendable {
    /// TC, ARQC or AAC
    public let type: CryptogramType
    /// Tag 9F27
    public let information: CryptogramInformationData
    /// Tag 9F36: application transaction counter.
    public let counter: UInt16
    /// Tag 9F26: 8 bytes.
    public let value: [UInt8]
    /// Tag 9F10: 0...32 bytes.
    public let issuerApplicationData: [UInt8]
}
