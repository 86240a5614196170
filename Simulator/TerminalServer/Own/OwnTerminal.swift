public import Determinism
public import Terminal

/// Keeps the requests of tills, so that the next start of a terminal finds them again.
public protocol RequestKeeper: Sendable {
    /// Keeps a request, or what changed of it. It is on disk when this returns.
    ///
    /// - Parameters:
    ///   - change: the request.
    ///   - moment: the time.
    /// - Throws: ``RequestNotKept`` when that is not certain. Nothing may be begun or answered then.
    func keep(_ change: TerminalChange, at moment: Timestamp) throws(RequestNotKept)

    /// Keeps objects of tills, or forgets those that were deleted. It is on disk when this returns.
    ///
    /// - Parameters:
    ///   - objects: the objects.
    ///   - moment: the time.
    /// - Throws: ``RequestNotKept`` when that is not certain. Nothing may be answered then.
    func keep(_ objects: [KeptObject], at moment: Timestamp) throws(RequestNotKept)
}

/// A request could not be kept: its reason.
public struct RequestNotKept: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Takes the reason.
    public init(_ description: String) { self.description = description }
}

/// What a terminal with a reader of this machine has besides the reader: what it kept before, and where it keeps more.
public struct OwnTerminal: Sendable {
    let keeper: any RequestKeeper
    let kept: [KeptRequest]
    let objects: [KeptObject]
    let offset: Int
    let reader: SharedReader
    let onPrint: @Sendable (TerminalReceipt) -> Void
    let onFailure: @Sendable (RequestNotKept) -> Void

    /// Describes a terminal for the tills of one protocol.
    ///
    /// - Parameters:
    ///   - keeper: keeps their requests.
    ///   - kept: what it kept before, in the order in which the requests began.
    ///   - objects: the objects of tills that it kept, in the order of their creation.
    ///   - offset: the local time, in seconds east of UTC.
    ///   - reader: the reader, which terminals of other protocols may share.
    ///   - onPrint: called with each receipt of the terminal's own printer. It must not wait.
    ///   - onFailure: called once when a request could not be kept: the terminal does nothing more then.
    public init(
        keeper: any RequestKeeper, kept: [KeptRequest], objects: [KeptObject] = [], offset: Int, reader: SharedReader,
        onPrint: @escaping @Sendable (TerminalReceipt) -> Void,
        onFailure: @escaping @Sendable (RequestNotKept) -> Void
    ) {
        (self.keeper, self.kept, self.objects) = (keeper, kept, objects)
        (self.offset, self.reader) = (offset, reader)
        (self.onPrint, self.onFailure) = (onPrint, onFailure)
    }
}

/// Keeps the changes of a terminal. After a change that could not be kept, nothing goes on: after the next start it
/// would not be true.
struct ChangeKeeper {
    private let own: OwnTerminal
    private(set) var isBroken = false

    init(_ own: OwnTerminal) { self.own = own }

    /// Keeps changes. Returns whether the terminal may go on.
    mutating func keep(_ changes: [TerminalChange], _ objects: [KeptObject] = [], at moment: Timestamp) -> Bool {
        guard !isBroken else { return false }
        do throws(RequestNotKept) {
            for change in changes { try own.keeper.keep(change, at: moment) }
            if !objects.isEmpty { try own.keeper.keep(objects, at: moment) }
            return true
        } catch {
            isBroken = true
            own.onFailure(error)
            return false
        }
    }
}
