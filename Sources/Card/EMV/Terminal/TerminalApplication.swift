/// An application that the terminal supports, with the payment system's settings.
public struct TerminalApplication: Hashable, Sendable {
    /// 5...16 bytes.
    public let aid: [UInt8]
    /// Whether the card's DF name may be longer than the AID (application selection indicator).
    public let allowsPartialSelection: Bool
    /// The versions of the application that the terminal supports (9F09), at least one.
    public let versions: [UInt16]
    /// Terminal action codes.
    public let actionCodes: ActionCodes
    /// Tag 9F1B, in minor units. Amounts of at least this go online; 0 sends everything online.
    public let floorLimit: UInt32
    public let randomSelection: RandomSelection
    /// Whether to check the card's consecutive offline limits, if it has any.
    public let checksVelocity: Bool
    /// Used for dynamic data authentication if the card has no DDOL (9F49).
    public let defaultDDOL: DataObjectList
    /// Used for the TC hash if the card has no TDOL (97); nil if the terminal has none either.
    public let defaultTDOL: DataObjectList?

    /// Creates an application. The data object lists are encoded. The default of `defaultDDOL` requests an
    /// unpredictable number of four bytes.
    ///
    /// - Throws: ``TerminalConfigurationError``
    public init(
        aid: [UInt8], allowsPartialSelection: Bool = true, versions: [UInt16], actionCodes: ActionCodes,
        floorLimit: UInt32 = 0, randomSelection: RandomSelection = .never, checksVelocity: Bool = true,
        defaultDDOL: [UInt8] = [0x9F, 0x37, 0x04], defaultTDOL: [UInt8]? = nil
    ) throws(TerminalConfigurationError) {
        guard (5...16).contains(aid.count) else { throw .aidLength(aid.count) }
        guard !versions.isEmpty else { throw .noVersion(aid: aid) }
        do throws(DataObjectListError) {
            self.defaultDDOL = try DataObjectList(defaultDDOL)
            self.defaultTDOL = if let defaultTDOL { try DataObjectList(defaultTDOL) } else { nil }
        } catch {
            throw .dataObjectList(error)
        }
        (self.aid, self.allowsPartialSelection, self.versions) = (aid, allowsPartialSelection, versions)
        (self.actionCodes, self.floorLimit) = (actionCodes, floorLimit)
        (self.randomSelection, self.checksVelocity) = (randomSelection, checksVelocity)
    }

    /// Returns whether the AID matches the card's DF name (EMV Book 1 §12.3.1).
    func matches(dfName: [UInt8]) -> Bool {
        dfName == aid || allowsPartialSelection && dfName.starts(with: aid)
    }
}

/// Action codes: three masks over the TVR, set by the payment system (terminal action codes) or the issuer (issuer
/// action codes) (EMV Book 3 §10.7).
public struct ActionCodes: Hashable, Sendable {
    /// Decline if any of these TVR bits is set.
    public var denial: TerminalVerificationResults
    /// Go online if any of these TVR bits is set.
    public var online: TerminalVerificationResults
    /// Decline if any of these TVR bits is set and the terminal cannot go online.
    public var `default`: TerminalVerificationResults

    /// Combines the three masks: what declines offline, what goes online, and what declines when the host is not
    /// reached.
    public init(
        denial: TerminalVerificationResults, online: TerminalVerificationResults,
        default: TerminalVerificationResults
    ) {
        (self.denial, self.online, self.default) = (denial, online, `default`)
    }

    /// Creates action codes from three five-byte numbers.
    init(_ denial: UInt64, _ online: UInt64, _ default: UInt64) {
        self.init(
            denial: TerminalVerificationResults(rawValue: denial),
            online: TerminalVerificationResults(rawValue: online),
            default: TerminalVerificationResults(rawValue: `default`))
    }
}

/// Random selection of transactions below the floor limit for going online (EMV Book 3 §10.6.2).
public struct RandomSelection: Hashable, Sendable {
    /// In minor units. Amounts below it are selected with the target percentage.
    public let threshold: UInt32
    /// 0...99
    public let targetPercentage: Int
    /// 0...99, at least the target percentage: the percentage just below the floor limit.
    public let maximumPercentage: Int

    /// - Throws: ``TerminalConfigurationError/randomSelection(target:maximum:)``
    public init(
        threshold: UInt32, targetPercentage: Int, maximumPercentage: Int
    ) throws(TerminalConfigurationError) {
        guard (0...99).contains(targetPercentage), targetPercentage <= maximumPercentage, maximumPercentage <= 99
        else {
            throw .randomSelection(target: targetPercentage, maximum: maximumPercentage)
        }
        self.init(threshold, targetPercentage, maximumPercentage)
    }

    private init(_ threshold: UInt32, _ targetPercentage: Int, _ maximumPercentage: Int) {
        (self.threshold, self.targetPercentage, self.maximumPercentage) =
            (threshold, targetPercentage, maximumPercentage)
    }

    /// No transaction is selected.
    public static let never = RandomSelection(0, 0, 0)
}
