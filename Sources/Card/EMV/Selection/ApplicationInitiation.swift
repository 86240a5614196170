import CardSecrets
import SmartCard

/// Initiate application processing: GET PROCESSING OPTIONS (EMV Book 3 §10.1).
struct ApplicationInitiation {
    let session: CardSession
    let cardholder: any CardholderInterface

    /// - Throws: ``KernelStop/applicationRefused`` when the card refuses this application.
    func perform(_ transaction: Transaction) async throws(KernelStop) {
        guard let application = transaction.application else { return }
        session.observe(
            .initiatingApplication(aid: application.candidate.dfName, languages: application.languagePreference))
        if let pdol = application.information.value(EMVTag.pdol) { transaction.data.set(EMVTag.pdol, pdol) }
        // The data is sent in template 83, whose tag and length need up to three bytes.
        let list = try transaction.list(EMVTag.pdol, limit: 252)
        await AccountSelection(cardholder: cardholder).perform(transaction, for: list)
        var options = transaction.fill(list, EMVTag.pdol)
        defer { options.wipe() }
        transaction.recordSent(options)
        let response = try await session.getProcessingOptions(options)
        guard response.status != .conditionsNotSatisfied else { throw .applicationRefused }
        guard response.status == .success else { throw .failed(.status(.getProcessingOptions, response.status)) }
        let answer = try Self.parse(response.data)
        guard let profile = ApplicationInterchangeProfile(bytes: answer.profile) else {
            throw .failed(.data(.wrongLength(EMVTag.interchangeProfile)))
        }
        do throws(AFLError) { transaction.fileLocator = try ApplicationFileLocator(answer.fileLocator) } catch {
            throw .failed(.fileLocator(error))
        }
        transaction.profile = profile
        do throws(DataObjectError) { try transaction.data.storeFromCard(answer.objects) } catch {
            throw .failed(.data(error))
        }
    }

    struct Answer {
        var profile: [UInt8]
        var fileLocator: [UInt8]
        /// Both as data objects, with the other objects of a format 2 response.
        var objects: [BERTLV]
    }

    /// Parses format 1 (template 80: AIP and AFL) and format 2 (template 77: data objects).
    static func parse(_ data: [UInt8]) throws(KernelStop) -> Answer {
        guard let objects = try? BERTLV.parse(data), objects.count == 1, let template = objects.first else {
            throw .failed(.malformedAnswer(.getProcessingOptions))
        }
        switch template.tag {
        case EMVTag.responseFormat1:
            let (profile, locator) = (Array(template.value.prefix(2)), Array(template.value.dropFirst(2)))
            guard profile.count == 2, !locator.isEmpty else { throw .failed(.malformedAnswer(.getProcessingOptions)) }
            return Answer(
                profile: profile, fileLocator: locator,
                objects: [BERTLV(EMVTag.interchangeProfile, profile), BERTLV(EMVTag.fileLocator, locator)])
        case EMVTag.responseFormat2:
            func value(_ tag: BERTag) throws(KernelStop) -> [UInt8] {
                guard let object = template.children.first(where: { $0.tag == tag }) else {
                    throw .failed(.data(.missing(tag)))
                }
                return object.value
            }
            return Answer(
                profile: try value(EMVTag.interchangeProfile), fileLocator: try value(EMVTag.fileLocator),
                objects: template.children)
        default:
            throw .failed(.malformedAnswer(.getProcessingOptions))
        }
    }
}

/// Application file locator (AFL): the records to read, and those used in offline data authentication (tag 94, EMV Book
/// 3 §10.2).
struct ApplicationFileLocator: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// Short file identifier, 1...30.
        let file: UInt8
        let records: ClosedRange<UInt8>
        /// The number of records, from the first, that belong to the static data to be authenticated.
        let authenticatedCount: UInt8
    }

    let entries: [Entry]

    /// - Throws: ``AFLError``
    init(_ bytes: [UInt8]) throws(AFLError) {
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 4), bytes.count <= 252 else { throw .length(bytes.count) }
        var entries: [Entry] = []
        var rest = bytes[...]
        while let first = rest.popFirst(), let start = rest.popFirst(), let end = rest.popFirst(),
            let authenticated = rest.popFirst()
        {
            let index = entries.count
            guard (1...30).contains(first >> 3), first & 0x07 == 0 else { throw .file(entry: index) }
            guard start > 0, end >= start else { throw .records(entry: index) }
            guard Int(authenticated) <= Int(end) - Int(start) + 1 else { throw .authenticatedCount(entry: index) }
            entries.append(Entry(file: first >> 3, records: start...end, authenticatedCount: authenticated))
        }
        self.entries = entries
    }
}

/// Why an application file locator is not valid; entries count from 0 (EMV Book 3 §7.5).
public enum AFLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Empty, longer than 252 bytes, or not a multiple of four bytes.
    case length(Int)
    /// A short file identifier outside 1...30.
    case file(entry: Int)
    /// A first record of 0, or a last record before the first.
    case records(entry: Int)
    /// More records to authenticate than the entry has.
    case authenticatedCount(entry: Int)

    public var description: String {
        switch self {
        case .length(let count): "the application file locator has a wrong length of \(count) bytes"
        case .file(let entry): "the application file locator has no valid file in entry \(entry)"
        case .records(let entry): "the application file locator has no valid records in entry \(entry)"
        case .authenticatedCount(let entry):
            "the application file locator authenticates more records than it has in entry \(entry)"
        }
    }
}

/// The choice of an account by the cardholder (tag 5F57): offered once, when one of the card's lists asks for it, the
/// terminal supports it, and the request does not state it.
struct AccountSelection {
    let cardholder: any CardholderInterface

    func perform(_ transaction: Transaction, for list: DataObjectList) async {
        let types = transaction.terminal.accountTypes
        guard !types.isEmpty, !transaction.wasAccountOffered, transaction.data[EMVTag.accountType] == nil,
            list.asks(for: EMVTag.accountType)
        else { return }
        transaction.wasAccountOffered = true
        let type = await cardholder.chooseAccountType(types, languages: transaction.languagePreference)
        if let type, types.contains(type) { transaction.data.set(EMVTag.accountType, [type]) }
    }
}
