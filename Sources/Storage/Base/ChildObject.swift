/// A record that belongs to a ``KeyedObject`` and goes away with it. Its place in the parent's list names it.
public protocol ChildObject: Object {}
