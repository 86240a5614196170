/// Something that carries out the actions of one type.
public protocol ActionsProcessor<SupportedAction>: AnyObject, Sendable {
    /// The actions that it carries out.
    associatedtype SupportedAction: Action

    /// Begins to carry out `action` and returns soon: other actions wait for it. Long work goes on in a task,
    /// and the action's completion tells when it is done.
    func onAction(_ action: SupportedAction)
}
