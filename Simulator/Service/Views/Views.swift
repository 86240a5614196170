/// The views of the service's values.
enum Views {}
