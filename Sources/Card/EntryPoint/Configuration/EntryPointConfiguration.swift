public import EMV
public import Money
public import SmartCard
import Text

/// A reader combination: an application and a kernel that the reader supports together, with their limits (EMV
/// Contactless Book A §5.2, Book B §3.1).
public struct ReaderCombination: Hashable, Sendable {
    /// 5...16 bytes. It matches every ADF name on a card that begins with it.
    public let aid: [UInt8]
    public let kernel: KernelIdentifier
    public let limits: ContactlessLimits
    /// Tag 9F66 as configured. Nil gives the kernel none.
    public let qualifiers: TerminalTransactionQualifiers?
    /// Whether an amount of one unit of the currency checks the status of the card's account.
    public let checksStatus: Bool
    public let allowsZeroAmount: Bool
    /// Whether the extended selection (9F29) of the card becomes part of the name in SELECT.
    public let supportsExtendedSelection: Bool
    /// Value fields for the kernel alone: its version (9F09), and the settings of its book. The data of the transaction
    /// and the terminal replaces objects of the same tag.
    public let kernelData: [BERTag: [UInt8]]

    /// Creates a combination. Defaults are those for items that a configuration leaves out.
    ///
    /// - Throws: ``EntryPointConfigurationError/aidLength(_:)``
    public init(
        aid: [UInt8], kernel: KernelIdentifier, limits: ContactlessLimits = .none,
        qualifiers: TerminalTransactionQualifiers? = nil, checksStatus: Bool = false, allowsZeroAmount: Bool = true,
        supportsExtendedSelection: Bool = false, kernelData: [BERTag: [UInt8]] = [:]
    ) throws(EntryPointConfigurationError) {
        guard (5...16).contains(aid.count) else { throw .aidLength(aid.count) }
        (self.aid, self.kernel, self.limits, self.qualifiers) = (aid, kernel, limits, qualifiers)
        (self.checksStatus, self.allowsZeroAmount) = (checksStatus, allowsZeroAmount)
        (self.supportsExtendedSelection, self.kernelData) = (supportsExtendedSelection, kernelData)
    }
}

/// The limits of a reader combination. Nil is no limit; an amount equal to a limit is described at each.
public struct ContactlessLimits: Hashable, Sendable {
    /// Reader contactless transaction limit: an amount of at least this is not allowed.
    public let transaction: Money?
    /// Reader contactless floor limit: a higher amount needs an online cryptogram.
    public let floor: Money?
    /// Terminal floor limit (9F1B), which counts where ``floor`` is nil.
    public let terminalFloor: Money?
    /// Reader CVM required limit: an amount of at least this needs cardholder verification.
    public let cvmRequired: Money?

    /// Sets the limits, all in one currency.
    ///
    /// - Throws: ``EntryPointConfigurationError/currencies(_:)``
    public init(
        transaction: Money? = nil, floor: Money? = nil, terminalFloor: Money? = nil, cvmRequired: Money? = nil
    ) throws(EntryPointConfigurationError) {
        let codes = Set([transaction, floor, terminalFloor, cvmRequired].compactMap { $0?.currency.code })
        guard codes.count <= 1 else { throw .currencies(codes.sorted()) }
        self.init(transaction, floor, terminalFloor, cvmRequired)
    }

    private init(_ transaction: Money?, _ floor: Money?, _ terminalFloor: Money?, _ cvmRequired: Money?) {
        (self.transaction, self.floor) = (transaction, floor)
        (self.terminalFloor, self.cvmRequired) = (terminalFloor, cvmRequired)
    }

    /// No limits.
    public static let none = ContactlessLimits(nil, nil, nil, nil)

    /// The currency of the limits; nil without limits.
    public var currency: Currency? { (transaction ?? floor ?? terminalFloor ?? cvmRequired)?.currency }
}

/// The rules of final combination selection that differ between the editions of Book B (§3.3.3).
public struct SelectionRules: Hashable, Sendable {
    /// Whether a Visa card whose PDOL lacks 9F66 is given to kernel 1, if the reader has it. Otherwise, and without
    /// kernel 1, the next candidate is selected.
    public let usesKernel1ForVisa: Bool
    /// Whether the answer to SELECT must hold a DF name (84) that begins with the ADF name selected.
    public let demandsDFName: Bool

    /// Sets the rules one by one.
    public init(usesKernel1ForVisa: Bool, demandsDFName: Bool) {
        (self.usesKernel1ForVisa, self.demandsDFName) = (usesKernel1ForVisa, demandsDFName)
    }

    /// Book B 2.12.
    public static let current = SelectionRules(usesKernel1ForVisa: false, demandsDFName: true)
    /// Book B 2.5.
    public static let edition2_5 = SelectionRules(usesKernel1ForVisa: true, demandsDFName: false)
}

/// The reader's configuration of Entry Point (EMV Contactless Book A §5, Book B §3.1).
public struct EntryPointConfiguration: Hashable, Sendable {
    /// The terminal data that kernels receive.
    public let terminal: TerminalConfiguration
    /// The combinations of each transaction type that the reader supports, at least one, in the order of preference for
    /// one entry on a card.
    public let combinations: [TransactionRequest.Kind: [ReaderCombination]]
    public let rules: SelectionRules

    /// Creates a configuration.
    ///
    /// - Throws: ``EntryPointConfigurationError``
    public init(
        terminal: TerminalConfiguration, combinations: [TransactionRequest.Kind: [ReaderCombination]],
        rules: SelectionRules = .current
    ) throws(EntryPointConfigurationError) {
        for (kind, set) in combinations {
            guard !set.isEmpty else { throw .noCombination(kind) }
            for (position, combination) in set.enumerated() {
                let isRepeated = set.prefix(position).contains {
                    $0.aid == combination.aid && $0.kernel == combination.kernel
                }
                guard !isRepeated else { throw .repeatedCombination(aid: combination.aid, combination.kernel) }
            }
        }
        (self.terminal, self.combinations, self.rules) = (terminal, combinations, rules)
    }
}

/// Why a configuration of Entry Point is not valid.
public enum EntryPointConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An AID of fewer than 5 or more than 16 bytes.
    case aidLength(Int)
    /// Limits in these currencies.
    case currencies([String])
    /// A transaction type without a combination.
    case noCombination(TransactionRequest.Kind)
    /// The same AID and kernel twice in one set.
    case repeatedCombination(aid: [UInt8], KernelIdentifier)
    /// Two kernels with one identifier.
    case repeatedKernel(KernelIdentifier)

    public var description: String {
        switch self {
        case .aidLength(let count): "an AID of \(count) bytes: it must have 5 to 16"
        case .currencies(let codes):
            "contactless limits in \(codes.joined(separator: ", ")): give all limits of a combination in one currency"
        case .noCombination(let kind):
            "no application for contactless transactions of type \(kind.rawValue.hexadecimal): give at least one, or "
                + "leave the type out"
        case .repeatedCombination(let aid, let kernel):
            "application \(aid.hexadecimal) with kernel \(kernel) stands twice: remove one"
        case .repeatedKernel(let kernel): "two kernels have the identifier \(kernel): register one"
        }
    }
}
