import Concurrency
import Money
public import Networking
import Storage

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
    private let commands: any RefundCommandFactory

    /// Handles the actions on order refunds of the session that `context` belongs to.
    public convenience init(_ context: StoreContext) { self.init(context, commands: SiteRefundCommands(context)) }

    /// - Parameters:
    ///   - context: the dependencies of the stores of a site.
    ///   - commands: makes the commands that create and read refunds at the site and keep them.
    init(_ context: StoreContext, commands: any RefundCommandFactory) {
        (self.context, self.commands) = (context, commands)
    }

    public func onAction(_ action: RefundAction) {
        switch action {
        case .createRefund(let siteID, let orderID, let draft, let onCompletion):
            // Without a key: two equal refunds are two refunds.
            context.run(
                commands.createRefund(siteID: siteID, orderID: orderID, draft).followed { [commands] in
                    commands.save(.some([$0]))
                }, onCompletion)
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

    private func retrieveRefund(
        _ siteID: Int64, _ orderID: Int64, _ refundID: Int64, _ onCompletion: @escaping RefundAction.Completion<Refund>
    ) {
        let key = CommandKey("refunds.one", String(siteID), String(orderID), String(refundID))
        let fetched = commands.fetchRefund(siteID: siteID, orderID: orderID, refundID: refundID)
        let kept = fetched.followed { [commands] in commands.save(.some([$0])) }
            .forgetting(.notFound(entity: "refund", id: String(refundID))) { [commands] in
                commands.save(.gone(siteID: siteID, refundID: refundID))
            }
        context.run(kept.keyed(key), onCompletion)
    }

    private func retrieveRefunds(
        _ siteID: Int64, _ orderID: Int64, _ refundIDs: [Int64], isDeleting: Bool,
        _ onCompletion: @escaping RefundAction.Completion<ElementList<Refund>>
    ) {
        let key = CommandKey("refunds.some", String(siteID), String(orderID), "\(refundIDs)", "\(isDeleting)")
        let wanted = PageRequest(size: PageRequest.largest)
        let fetched =
            refundIDs.isEmpty
            ? KnownCommand(ElementList<Refund>(elements: []))
            : commands.fetchRefunds(siteID: siteID, orderID: orderID, refundIDs: refundIDs, page: wanted)
                .map { $0.list }
        let kept = fetched.followed { [commands] list in
            commands.save(Self.changes(list, of: orderID, siteID: siteID, areAll: isDeleting))
        }
        context.run(kept.keyed(key), onCompletion)
    }

    private func synchronizeRefunds(
        _ siteID: Int64, _ orderID: Int64, _ wanted: PageRequest,
        _ onCompletion: @escaping RefundAction.Completion<Page<Refund>>
    ) {
        let key = CommandKey("refunds", String(siteID), String(orderID), String(wanted.number), String(wanted.size))
        let fetched = commands.fetchRefunds(siteID: siteID, orderID: orderID, refundIDs: nil, page: wanted)
        let kept = fetched.followed { [commands] page in
            commands.save(Self.changes(page.list, of: orderID, siteID: siteID, areAll: wanted.number == 1))
        }
        context.run(kept.keyed(key), onCompletion)
    }

    /// `areAll`: whether stored refunds of the order that are not in the list are deleted. A refund that cannot be read
    /// may be one of them.
    private static func changes(
        _ list: ElementList<Refund>, of orderID: Int64, siteID: Int64, areAll: Bool
    ) -> RefundChanges {
        areAll && list.rejected.isEmpty
            ? .all(list.elements, siteID: siteID, orderID: orderID) : .some(list.elements)
    }
}
