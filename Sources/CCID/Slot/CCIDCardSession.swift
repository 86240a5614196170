internal import SmartCard

/// A powered card, from its answer to reset until it leaves or fails.
struct CCIDCardSession {
    /// Which activation of the slot this is; a channel of an earlier one is void.
    let activation: UInt64
    /// The slot's count of removals when the card was powered.
    let removals: UInt64
    /// 0 or 1.
    let transmissionProtocol: UInt8
    /// For the card's answer to one block.
    let wait: Duration
    /// How T=1 blocks are checked.
    let errorDetection: T1Block.ErrorDetection
    /// The state of T=1 where the host runs it.
    var t1: T1InterfaceDevice?
    /// An exchange failed: what the card made of it is unknown.
    var hasFailed = false
}
