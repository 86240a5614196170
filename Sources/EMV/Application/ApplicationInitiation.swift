internal import CardSecrets
internal import SmartCard

/// Initiate application processing: GET PROCESSING OPTIONS (EMV Book 3 §10.1).
struct ApplicationInitiation {
    let session: CardSession

    /// - Throws: ``KernelStop/applicationRefused`` when the card wants another application chosen.
    func perform(_ transaction: inout Transaction) async throws(KernelStop) {
        guard let application = transaction.application else { return }
        session.observe(.initiatingApplication(aid: application.candidate.dfName))
        if let pdol = application.information.value(EMVTag.pdol) { transaction.data.set(EMVTag.pdol, pdol) }
        // The answer travels in template 83, whose tag and length need up to three bytes of the command.
        let list = try transaction.list(EMVTag.pdol, limit: 252)
        var options = transaction.fill(list)
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
        do throws(DataObjectError) { try transaction.data.takeFromCard(answer.objects) } catch {
            throw .failed(.data(error))
        }
    }

    struct Answer {
        var profile: [UInt8]
        var fileLocator: [UInt8]
        /// Both as data objects, with what else a format 2 answer holds.
        var objects: [BERTLV]
    }

    /// Reads format 1 (template 80: AIP and AFL) and format 2 (template 77: data objects).
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
