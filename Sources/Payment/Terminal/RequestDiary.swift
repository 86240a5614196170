public import Determinism
import Payments

/// The requests and objects that a terminal keeps, in memory: for owners whose terminals begin again without a journal,
/// such as tests.
public struct RequestDiary: Sendable {
    private var kept: [IdempotencyKey: KeptRequest] = [:]
    private var order: [IdempotencyKey] = []
    /// The objects in the order of their creation.
    public private(set) var objects: [KeptObject]

    /// Begins with what an earlier start has kept.
    public init(_ requests: [KeptRequest] = [], objects: [KeptObject] = []) {
        self.objects = objects
        for request in requests {
            order.append(request.request.key)
            kept[request.request.key] = request
        }
    }

    /// The requests in the order in which they began.
    public var requests: [KeptRequest] { order.compactMap { kept[$0] } }

    /// Keeps what changed until a moment.
    public mutating func keep(_ changes: [TerminalChange], at moment: Timestamp) {
        for change in changes {
            let key = change.request.key
            if kept[key] == nil {
                order.append(key)
                kept[key] = KeptRequest(request: change.request, started: moment, changed: moment)
            }
            kept[key]?.outcome = change.outcome
            kept[key]?.changed = moment
            kept[key]?.isConfirmed = change.isConfirmed
            kept[key]?.isTakenBack = change.isTakenBack
            if let note = change.note { kept[key]?.note = note }
        }
    }

    /// Keeps objects, and forgets those that were deleted.
    public mutating func keep(_ changes: [KeptObject]) {
        for change in changes {
            let place = objects.firstIndex { $0.name == change.name }
            switch (place, change.contents) {
            case (let place?, nil): objects.remove(at: place)
            case (let place?, _): objects[place] = change
            case (nil, nil): break
            case (nil, _): objects.append(change)
            }
        }
    }

    /// Gives the requests to the next start.
    ///
    /// - Parameter outcome: how the newest request ended, if it was open.
    /// - Returns: the requests in the order in which they began.
    public func requests(endingWith outcome: TerminalOutcome?) -> [KeptRequest] {
        var requests = requests
        if let outcome, let last = requests.indices.last, requests[last].outcome == nil {
            requests[last].outcome = outcome
        }
        return requests
    }
}
