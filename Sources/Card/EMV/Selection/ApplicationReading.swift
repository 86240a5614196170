import CardSecrets
import SmartCard

/// Read application data: reads every record in the AFL (EMV Book 3 §10.2).
struct ApplicationReading {
    let session: CardSession

    func perform(_ transaction: Transaction) async throws(KernelStop) {
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
                // Files 11...30 are proprietary to payment system and issuer.
                guard entry.file <= 10 else { continue }
                guard let template else { throw .failed(.malformedAnswer(.readRecord)) }
                do throws(DataObjectError) { try transaction.data.storeFromCard(template.children) } catch {
                    throw .failed(.data(error))
                }
            }
        }
        transaction.authenticationInput = builder.finish(
            tagList: transaction.data[EMVTag.staticDataTagList], profile: transaction.profile.bytes)
        try Self.check(transaction)
    }

    /// Returns the record if it is exactly one template 70.
    private static func template(_ record: [UInt8]) -> BERTLV? {
        guard let objects = try? BERTLV.parse(record), objects.count == 1, let template = objects.first,
            template.tag == EMVTag.recordTemplate
        else { return nil }
        return template
    }

    /// Checks the mandatory data objects, and that PAN and track 2 match.
    private static func check(_ transaction: Transaction) throws(KernelStop) {
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

    /// - Returns: nil if track 2 has no account number.
    private static func agrees(_ pan: borrowing PrimaryAccountNumber, trackTwo: UnsafeRawBufferPointer) -> Bool? {
        do {
            let other = try PrimaryAccountNumber(trackTwo: trackTwo)
            return pan.withDigits { first in other.withDigits { second in first.elementsEqual(second) } }
        } catch {
            return nil
        }
    }
}
