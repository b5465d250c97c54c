export { AppError, type AppErrorOptions, type ErrorCode, errorStatus, type FieldError } from './app-error.js';
