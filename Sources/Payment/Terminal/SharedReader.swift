import Synchronization

/// The one reader behind the terminals of several protocols: the till that holds it, from whichever protocol.
///
/// Each ``TerminalModel`` of the reader has it. The models belong to different owners, so that the first one to take it
/// has it, and every other one is busy.
public final class SharedReader: Sendable {
    private struct State {
        var holder: TillID?
        var isOpen: Bool
    }

    private let state: Mutex<State>

    /// Who holds a reader that is not open yet.
    private static let opening = TillID(rawValue: "start")

    /// A free reader. One that is not open takes no new requests, so that the terminals of all protocols take up what
    /// they kept before one of them begins something new.
    public init(isOpen: Bool = true) { state = Mutex(State(isOpen: isOpen)) }

    /// Lets tills begin requests.
    public func open() { state.withLock { $0.isOpen = true } }

    /// The till that holds the reader; nil when it is free.
    public var holder: TillID? { state.withLock { $0.holder ?? ($0.isOpen ? nil : Self.opening) } }

    /// Takes the reader for a till.
    ///
    /// - Parameters:
    ///   - till: the till.
    ///   - isNew: whether it begins a request. Otherwise the terminal takes up or takes back an earlier one.
    /// - Returns: the till that has it already; nil when it was free.
    func take(for till: TillID, isNew: Bool) -> TillID? {
        state.withLock { state in
            if let holder = state.holder { return holder }
            guard state.isOpen || !isNew else { return Self.opening }
            state.holder = till
            return nil
        }
    }

    /// Gives the reader back. Only the model that took it calls this.
    func giveBack() { state.withLock { $0.holder = nil } }
}
