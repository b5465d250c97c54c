/** The client went away before it was answered: nobody is left to answer, and nothing is wrong with us. */
export class RequestAborted extends Error {
  constructor(options?: ErrorOptions) {
    super('The client closed the connection before it was answered.', options);
    this.name = 'RequestAborted';
  }
}
