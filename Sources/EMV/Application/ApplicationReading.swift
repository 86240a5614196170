internal import CardSecrets
internal import SmartCard

/// Read application data: every record that the AFL names (EMV Book 3 §10.2).
struct ApplicationReading {
    let session: CardSession

    func perform(_ transaction: inout Transaction) async throws(KernelStop) {
        guard let locator = transaction.fileLocator else { return }
        session.observe(.readingApplicationData)
        var builder = OfflineAuthenticationInputBuilder()
        for entry in locator.entries {
            for record in entry.records {
                let response = try await session.readRecord(record, file: entry.file)
                guard response.status == .success else { throw .failed(.status(.readRecord, response.status)) }
                let template = Self.template(response.data)
                if record - entry.records.lowerBound < entry.authenticatedCount {
                    builder.add(response.data, content: template?.value, file: entry.file)
                }
                // Files 11...30 are the payment system's and the issuer's own.
                guard entry.file <= 10 else { continue }
                guard let template else { throw .failed(.malformedAnswer(.readRecord)) }
                do throws(DataObjectError) { try transaction.data.takeFromCard(template.children) } catch {
                    throw .failed(.data(error))
                }
            }
        }
        transaction.authenticationInput = builder.finish(
            tagList: transaction.data[EMVTag.staticDataTagList], profile: transaction.profile.bytes)
        try Self.check(transaction)
    }

    /// The record as template 70, when it is exactly that.
    private static func template(_ record: [UInt8]) -> BERTLV? {
        guard let objects = try? BERTLV.parse(record), objects.count == 1, let template = objects.first,
            template.tag == EMVTag.recordTemplate
        else { return nil }
        return template
    }

    /// What every application must have, and whether PAN and track 2 agree.
    private static func check(_ transaction: borrowing Transaction) throws(KernelStop) {
        for tag in [EMVTag.pan, EMVTag.expirationDate, EMVTag.cdol1, EMVTag.cdol2]
        where !transaction.data.contains(tag) {
            throw .failed(.data(.missing(tag)))
        }
        let agreement: Bool?
        do throws(DataObjectError) {
            let pan = try transaction.data.primaryAccountNumber()
            guard transaction.data.contains(EMVTag.trackTwo) else { return }
            agreement = transaction.data.withSecret(EMVTag.trackTwo) { Self.agrees(pan, trackTwo: $0) } ?? nil
        } catch {
            throw .failed(.data(error))
        }
        guard let agreement else { throw .failed(.data(.wrongFormat(EMVTag.trackTwo))) }
        guard agreement else { throw .failed(.accountMismatch) }
    }

    /// - Returns: nil when track 2 holds no account number.
    private static func agrees(_ pan: borrowing PrimaryAccountNumber, trackTwo: UnsafeRawBufferPointer) -> Bool? {
        do {
            let other = try PrimaryAccountNumber(trackTwo: trackTwo)
            return pan.withDigits { first in other.withDigits { second in first.elementsEqual(second) } }
        } catch {
            return nil
        }
    }
}
