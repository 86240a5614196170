/// The business logic of one concern: it carries out the actions of that concern, and nothing else calls it.
///
/// What it needs (storage, readers, hosts, the dispatcher for actions of its own) it is given when it is made.
public protocol Store: ActionsProcessor {
    /// Registers the store for its actions. The default is right for a store with one type of action; a store
    /// with processors beside it registers them too.
    ///
    /// - Returns: what has to be unregistered when the store's session ends.
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)``
    func registerSupportedActions(in dispatcher: Dispatcher) throws(DispatcherError) -> [Dispatcher.Registration]
}

extension Store {
    public func registerSupportedActions(
        in dispatcher: Dispatcher
    ) throws(DispatcherError) -> [Dispatcher.Registration] {
        [try dispatcher.register(self)]
    }
}
