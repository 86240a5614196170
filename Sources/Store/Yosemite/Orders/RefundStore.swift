internal import Concurrency
internal import Money
public import Networking
internal import Storage

/// The actions of ``RefundStore``. Every completion is called exactly once.
public enum RefundAction: Action {
    /// Creates a refund of an order at the site and stores it. The site's payment gateway gives back nothing: the money
    /// is the caller's. For a refund at the till, use ``CardPresentPaymentsAction/refundPayment``, which also
    /// notifies the site.
    case createRefund(siteID: Int64, orderID: Int64, refund: RefundDraft, onCompletion: Completion<Refund>)
    /// Fetches and stores one refund of an order; deletes the stored one if it does not exist.
    case retrieveRefund(siteID: Int64, orderID: Int64, refundID: Int64, onCompletion: Completion<Refund>)
    /// Fetches and stores refunds of an order by ID, at most 100. `deleteStaleRefunds`: also deletes the stored refunds
    /// of the order that the site no longer has.
    case retrieveRefunds(
        siteID: Int64, orderID: Int64, refundIDs: [Int64], deleteStaleRefunds: Bool,
        onCompletion: Completion<ElementList<Refund>>)
    /// Fetches and stores a page of the refunds of an order, newest first. The first page replaces the stored ones.
    case synchronizeRefunds(siteID: Int64, orderID: Int64, page: PageRequest, onCompletion: Completion<Page<Refund>>)
    /// Deletes all stored refunds of a site.
    case resetStoredRefunds(siteID: Int64, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .createRefund(let siteID, let orderID, let refund, _):
            ["site": String(siteID), "order": String(orderID), "amount": refund.amount.description]
        case .retrieveRefund(let siteID, let orderID, let refundID, _):
            ["site": String(siteID), "order": String(orderID), "refund": String(refundID)]
        case .retrieveRefunds(let siteID, let orderID, let refundIDs, _, _):
            ["site": String(siteID), "order": String(orderID), "refunds": String(refundIDs.count)]
        case .synchronizeRefunds(let siteID, let orderID, let page, _):
            ["site": String(siteID), "order": String(orderID), "page": String(page.number)]
        case .resetStoredRefunds(let siteID, _): ["site": String(siteID)]
        }
    }
}

/// The refunds of orders.
///
/// Stored values are replaced only after a successful response.
public final class RefundStore: Store {
    private let context: StoreContext
    private let remote: RefundsRemote

    public init(_ context: StoreContext) { (self.context, remote) = (context, RefundsRemote(context.sender)) }

    public func onAction(_ action: RefundAction) {
        switch action {
        case .createRefund(let siteID, let orderID, let draft, let onCompletion):
            // Without a key: two equal refunds are two refunds.
            context.synchronize(
                nil,
                { [remote] () throws(NetworkError) in
                    try await remote.createRefund(siteID: siteID, orderID: orderID, draft)
                },
                save: Self.keep, onCompletion)
        case .retrieveRefund(let siteID, let orderID, let refundID, let onCompletion):
            retrieveRefund(siteID, orderID, refundID, onCompletion)
        case .retrieveRefunds(let siteID, let orderID, let refundIDs, let isDeleting, let onCompletion):
            retrieveRefunds(siteID, orderID, refundIDs, isDeleting: isDeleting, onCompletion)
        case .synchronizeRefunds(let siteID, let orderID, let page, let onCompletion):
            synchronizeRefunds(siteID, orderID, page, onCompletion)
        case .resetStoredRefunds(let siteID, let onCompletion):
            context.write(onCompletion) { try $0.delete(Refund.self) { $0.siteID == siteID } }
        }
    }

    private static func keep(_ refund: Refund, in storage: any StorageType) throws -> Refund {
        try storage.save(refund)
        return refund
    }

    private func retrieveRefund(
        _ siteID: Int64, _ orderID: Int64, _ refundID: Int64, _ onCompletion: @escaping RefundAction.Completion<Refund>
    ) {
        let storage = context.storage
        let key = CommandKey("refunds.one", String(siteID), String(orderID), String(refundID))
        let fetched = HTTPCommand(key: key) { [remote] () throws(NetworkError) in
            try await remote.loadRefund(siteID: siteID, orderID: orderID, refundID: refundID)
        }.then { refund in StoreCommand(in: storage) { try Self.keep(refund, in: $0) } }
        context.run(
            fetched.forgetting(.notFound(entity: "refund", id: String(refundID))) {
                StoreCommand(in: storage) { storage in
                    try storage.delete(Refund.self) { $0.siteID == siteID && $0.id == refundID }
                }
            }, onCompletion)
    }

    private func retrieveRefunds(
        _ siteID: Int64, _ orderID: Int64, _ refundIDs: [Int64], isDeleting: Bool,
        _ onCompletion: @escaping RefundAction.Completion<ElementList<Refund>>
    ) {
        let wanted = PageRequest(size: PageRequest.largest)
        context.synchronize(
            CommandKey("refunds.some", String(siteID), String(orderID), "\(refundIDs)", "\(isDeleting)"),
            { [remote] () throws(NetworkError) in
                guard !refundIDs.isEmpty else { return ElementList<Refund>(elements: []) }
                return try await remote.loadRefunds(
                    siteID: siteID, orderID: orderID, refundIDs: refundIDs, page: wanted
                ).list
            },
            save: { list, storage in
                if isDeleting, list.rejected.isEmpty {
                    let found = list.elements.map(\.id)
                    try storage.delete(Refund.self) {
                        $0.siteID == siteID && $0.orderID == orderID && !$0.id.isIn(found)
                    }
                }
                try storage.save(list.elements)
                return list
            }, onCompletion)
    }

    private func synchronizeRefunds(
        _ siteID: Int64, _ orderID: Int64, _ wanted: PageRequest,
        _ onCompletion: @escaping RefundAction.Completion<Page<Refund>>
    ) {
        context.synchronize(
            CommandKey("refunds", String(siteID), String(orderID), String(wanted.number), String(wanted.size)),
            { [remote] () throws(NetworkError) in
                try await remote.loadRefunds(siteID: siteID, orderID: orderID, page: wanted)
            },
            save: { page, storage in
                if wanted.number == 1, page.list.rejected.isEmpty {
                    try storage.delete(Refund.self) { $0.siteID == siteID && $0.orderID == orderID }
                }
                try storage.save(page.elements)
                return page
            }, onCompletion)
    }
}
