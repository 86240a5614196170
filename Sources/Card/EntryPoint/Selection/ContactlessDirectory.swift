import EMV
import SmartCard

/// The directory of contactless applications on a card: the answer to SELECT of the proximity payment system
/// environment, PPSE (EMV Contactless Book B §3.3.2.2 to §3.3.2.5).
struct ContactlessDirectory: Sendable {
    /// The name of the directory, `2PAY.SYS.DDF01`.
    static let name = Array("2PAY.SYS.DDF01".utf8)

    /// The directory entries (61) in the order of the card. An entry that cannot be read is skipped for its error.
    let entries: [Result<DirectoryEntry, FileControlError>]

    /// Reads 6F with A5, BF0C, and 61 in it. Unknown data objects, bytes 00, and the order of data objects do not
    /// matter.
    ///
    /// - Throws: ``FileControlError``, also when there is no entry.
    init(_ answer: [UInt8]) throws(FileControlError) {
        let file = try TemplateContent(answer, 0..<answer.count).template(EMVTag.fileControlInformation)
        let discretionary = try file.template(EMVTag.fciProprietary).template(EMVTag.issuerDiscretionaryData)
        var entries: [Result<DirectoryEntry, FileControlError>] = []
        for object in discretionary.objects where object.tag == EMVTag.applicationTemplate {
            do throws(FileControlError) {
                entries.append(.success(try DirectoryEntry(TemplateContent(answer, object.value))))
            } catch {
                entries.append(.failure(error))
            }
        }
        guard !entries.isEmpty else {
            throw .missing(EMVTag.applicationTemplate, offset: discretionary.start)
        }
        self.entries = entries
    }
}

/// One application in the directory of a card (Book B table 3-2).
struct DirectoryEntry: Hashable, Sendable {
    /// Tag 4F: 5...16 bytes.
    let adfName: [UInt8]
    let kernel: RequestedKernel
    /// 1 (highest) to 15; nil if the card states none.
    let priority: UInt8?
    /// Tag 9F29; empty if there is none.
    let extendedSelection: [UInt8]

    /// - Throws: ``FileControlError``
    init(_ entry: TemplateContent) throws(FileControlError) {
        guard let name = try entry.value(EMVTag.adfName, lengths: 5...16) else {
            throw .missing(EMVTag.adfName, offset: entry.start)
        }
        let indicator = try entry.value(EMVTag.priorityIndicator, lengths: 1...1)?.first ?? 0
        let identifier = try entry.value(EMVTag.kernelIdentifier, lengths: 1...8)
        guard let kernel = RequestedKernel(value: identifier, adfName: name) else {
            throw .wrongLength(
                EMVTag.kernelIdentifier, offset: try entry.object(EMVTag.kernelIdentifier)?.start ?? entry.start)
        }
        (adfName, self.kernel) = (name, kernel)
        priority = indicator & 0x0F == 0 ? nil : indicator & 0x0F
        extendedSelection = try entry.value(EMVTag.extendedSelection, lengths: 1...252) ?? []
    }

    /// Returns whether the entry is for the application and the kernel of a combination: its name is the AID or begins
    /// with it (§3.3.2.5 B and D).
    func matches(_ combination: ReaderCombination) -> Bool {
        adfName.starts(with: combination.aid) && kernel.accepts(combination.kernel)
    }
}
