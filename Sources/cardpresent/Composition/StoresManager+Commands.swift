internal import Yosemite

extension StoresManager {
    /// Dispatches an action and waits for its result, with its error as a command tells it.
    func value<Value: Sendable>(
        _ makeAction: (@escaping CardPresentPaymentsAction.Completion<Value>) -> CardPresentPaymentsAction
    ) async throws(CommandFailure) -> Value {
        do throws(ActionFailure<CardPresentPaymentsError>) {
            return try await perform { makeAction($0) }
        } catch {
            if case .failed(let error) = error { throw CommandFailure(error) }
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }

    /// The same for receipts.
    func value<Value: Sendable>(
        _ makeAction: (@escaping ReceiptAction.Completion<Value>) -> ReceiptAction
    ) async throws(CommandFailure) -> Value {
        do throws(ActionFailure<ReceiptStoreError>) {
            return try await perform { makeAction($0) }
        } catch {
            if case .failed(let error) = error { throw CommandFailure(error) }
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }
}
