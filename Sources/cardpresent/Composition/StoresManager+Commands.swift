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

extension StoresManager {
    /// The same for the stores of a site. When the site refuses the credentials, the session has ended by the time that
    /// this throws.
    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        do throws(ActionFailure<StoreError>) {
            return try await perform { makeAction($0) }
        } catch {
            // A refused credential ends the session beside the request that was refused.
            await settle()
            if case .refused(let reason) = lastEnd { throw CommandFailure(refused: reason) }
            switch error {
            case .failed(let error): throw CommandFailure(error)
            case .notDispatched(.notSignedIn): throw .notSignedIn
            case .notDispatched, .neverCompleted:
                throw CommandFailure(.internalError, code: "internal", message: error.description)
            }
        }
    }
}
