public import SmartCard
import Text

/// A reader combination in a transaction.
struct PreparedCombination: Hashable, Sendable {
    let combination: ReaderCombination
    let indicators: PreProcessingIndicators
}

/// An application on the card that the reader supports with one of its kernels (EMV Contactless Book B §3.3.2.5 E).
struct CombinationCandidate: Hashable, Sendable {
    let entry: DirectoryEntry
    /// The position of the entry in the card's directory, from 0.
    let position: Int
    let prepared: PreparedCombination

    var kernel: KernelIdentifier { prepared.combination.kernel }

    /// The name in SELECT: the ADF name, with the extended selection if the combination supports it (§3.3.3.3). Longer
    /// than 16 bytes if the card's parts do not fit together.
    var name: [UInt8] {
        entry.adfName + (prepared.combination.supportsExtendedSelection ? entry.extendedSelection : [])
    }

    /// Returns the same application with another combination.
    func with(_ prepared: PreparedCombination) -> CombinationCandidate {
        CombinationCandidate(entry: entry, position: position, prepared: prepared)
    }
}

/// The candidate list (§3.3.2.5, §3.3.3.1, §3.3.3.2).
struct CombinationCandidates: Sendable {
    private(set) var candidates: [CombinationCandidate] = []

    /// Has no candidate.
    init() {}

    /// Combines every allowed combination with every entry that matches it.
    init(_ entries: [(position: Int, entry: DirectoryEntry)], with combinations: [PreparedCombination]) {
        for prepared in combinations where !prepared.indicators.isNotAllowed {
            for (position, entry) in entries where entry.matches(prepared.combination) {
                candidates.append(CombinationCandidate(entry: entry, position: position, prepared: prepared))
            }
        }
    }

    /// The candidate with the highest priority; among equals, the first on the card; for one entry of the card, the
    /// combination that the reader names first. Nil if the list is empty.
    var best: CombinationCandidate? {
        candidates.min { ($0.entry.priority ?? 16, $0.position) < ($1.entry.priority ?? 16, $1.position) }
    }

    /// Removes one candidate, so that it is not selected again.
    mutating func drop(_ candidate: CombinationCandidate) { candidates.removeAll { $0 == candidate } }

    /// Puts a candidate in the place of another.
    mutating func replace(_ candidate: CombinationCandidate, by other: CombinationCandidate) {
        guard let index = candidates.firstIndex(of: candidate) else { return }
        candidates[index] = other
    }
}

/// Something that Entry Point found on a card and did not follow, or the reason why it ended, for a support engineer.
/// Contains AIDs, tags, offsets, and status words, never values of cards.
public enum SelectionFinding: Hashable, Sendable, CustomStringConvertible {
    /// The card has no directory of contactless applications.
    case directoryRefused(StatusWord)
    /// The directory cannot be read.
    case directory(FileControlError)
    /// An entry of the directory, counted from 1, was skipped.
    case entry(Int, FileControlError)
    /// An entry of the directory, counted from 1, is for no application and kernel of the reader.
    case entryNotSupported(Int)
    /// The card refused an application of its directory.
    case applicationRefused(aid: [UInt8], StatusWord)
    /// The answer to SELECT cannot be read.
    case application(aid: [UInt8], FileControlError)
    /// The DF name in the answer to SELECT is missing, or not that of the application.
    case otherDFName(aid: [UInt8])
    /// ADF name and extended selection have more than 16 bytes together.
    case nameTooLong(aid: [UInt8])
    /// The PDOL of a Visa application lacks 9F66.
    case noQualifiersRequested(aid: [UInt8])
    /// The reader has no kernel with this identifier.
    case noKernel(KernelIdentifier)
    /// The exchange with the card failed during selection.
    case exchangeFailed(CardChannelError)
    /// Kernels were activated too often for one presentation of the card.
    case tooManyActivations
    /// A kernel requested a second authorization in one transaction. It is not sent.
    case secondOnlineRequest

    public var description: String {
        switch self {
        case .directoryRefused(let status): "the card has no contactless directory (\(status))"
        case .directory(let error): "the card's contactless directory cannot be read: \(error)"
        case .entry(let number, let error): "entry \(number) of the card's contactless directory: \(error)"
        case .entryNotSupported(let number):
            "entry \(number) of the card's contactless directory: the reader has no such application and kernel"
        case .applicationRefused(let aid, let status): "the card refused application \(aid.hexadecimal) with \(status)"
        case .application(let aid, let error): "the answer of application \(aid.hexadecimal) cannot be read: \(error)"
        case .otherDFName(let aid): "application \(aid.hexadecimal) answered with another DF name, or none"
        case .nameTooLong(let aid): "application \(aid.hexadecimal) has an extended selection that is too long"
        case .noQualifiersRequested(let aid): "application \(aid.hexadecimal) does not ask for 9F66"
        case .noKernel(let kernel): "the reader has no kernel \(kernel)"
        case .exchangeFailed(let error): "\(error)"
        case .tooManyActivations: "kernels were activated too often for one tap"
        case .secondOnlineRequest: "the kernel asked for a second authorization: it was not sent"
        }
    }
}
