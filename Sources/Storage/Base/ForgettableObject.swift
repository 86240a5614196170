/// A record that may be deleted, because it moved no money and proves nothing about money that did.
public protocol ForgettableObject: Object {}
